/**
 * Keeps the page on this machine, so that after one visit it works without a network.
 *
 * Each version of the code has a cache of its own, filled whole before the version is taken over;
 * data are named by their digests and shared by all versions.  A version that is open in a tab
 * stays in use until the last such tab closes, or until the page asks for the new one.
 */

const VERSION = "%VERSION%";
const SHELL = JSON.parse('%SHELL%');
const DATA = JSON.parse('%DATA%');
const DATA_CACHE = "ustad-data";

const here = (path) => new URL(path, self.registration.scope).href;

self.addEventListener("install", (event) => {
  const fill = async () => {
    const cache = await caches.open(VERSION);
    await cache.addAll(SHELL.map((path) => new Request(here(path), { cache: "no-cache" })));
  };
  event.waitUntil(fill());
});

self.addEventListener("activate", (event) => {
  const tidy = async () => {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith("v-") && name !== VERSION);
    await Promise.all(old.map((name) => caches.delete(name)));
    const cache = await caches.open(DATA_CACHE);
    const known = new Set(DATA.map(here));
    for (const request of await cache.keys()) {
      if (!known.has(request.url)) await cache.delete(request);
    }
    await self.clients.claim();
  };
  event.waitUntil(tidy());
});

/** Fetch the data that are not here yet, one after the other, and tell how many are. */
async function keepData() {
  const cache = await caches.open(DATA_CACHE);
  let kept = 0;
  const tell = async () => {
    const clients = await self.clients.matchAll();
    for (const client of clients) client.postMessage({ kept, of: DATA.length });
  };
  await tell();
  for (const path of DATA) {
    try {
      if (!(await cache.match(here(path)))) await cache.add(here(path));
      kept += 1;
    } catch {
      // No network, or no room: what is missing is fetched when it is needed.
    }
    await tell();
  }
}

self.addEventListener("message", (event) => {
  if (event.data === "take over") self.skipWaiting();
  if (event.data === "keep data") event.waitUntil(keepData());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const scope = new URL(self.registration.scope);
  if (request.method !== "GET" || url.origin !== scope.origin) return;
  if (!url.pathname.startsWith(scope.pathname)) return;
  const path = url.pathname.slice(scope.pathname.length);
  if (request.mode === "navigate" && (path === "" || path === "index.html")) {
    event.respondWith(fromCache(VERSION, here("index.html"), request));
  } else if (path.startsWith("data/")) event.respondWith(data(request));
  else if (SHELL.includes(path)) event.respondWith(fromCache(VERSION, here(path), request));
});

async function fromCache(name, url, request) {
  const cache = await caches.open(name);
  return (await cache.match(url)) ?? fetch(request);
}

async function data(request) {
  const cache = await caches.open(DATA_CACHE);
  // A page that found a file damaged asks for it anew.
  const held = request.cache === "reload" ? undefined : await cache.match(request.url);
  if (held) return held;
  const fetched = await fetch(request);
  if (fetched.ok) await cache.put(request.url, fetched.clone()).catch(() => undefined);
  return fetched;
}
