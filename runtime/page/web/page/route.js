/** Addresses: what is shown, and the position, after the `#`. */

/** Return the parts of an address: `#/yacht/judge?p=…` is `{ path: ["yacht", "judge"], query }`. */
export function route() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean), query: new URLSearchParams(query) };
}

/** Return the address of a place. */
export function address(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const text = new URLSearchParams(/** @type {any} */ (given)).toString();
  return `#/${path.join("/")}${text ? `?${text}` : ""}`;
}

/** Show another place. */
export function go(path, query = {}) {
  location.hash = address(path, query);
}

/** Put another address in the place of this one, and show nothing anew. */
export function rename(path, query = {}) {
  history.replaceState(history.state, "", address(path, query));
}

/** Return a position as a short text of letters that an address may hold. */
export function packed(value) {
  const text = btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Return the value of such a text, null if it is none. */
export function unpacked(text) {
  try {
    const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(letters, (one) => one.charCodeAt(0))));
  } catch {
    return null;
  }
}
