/**
 * SHA-256 (FIPS 180-4) in plain JavaScript, where there is no `crypto`, or no time to wait for it.
 */

const ROUND = new Int32Array(64);
const START = new Int32Array(8);
{
  /** @type {number[]} */
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
  /** @param {number} x */
  const fraction = (x) => Math.floor((x - Math.floor(x)) * 2 ** 32);
  primes.forEach((p, i) => {
    ROUND[i] = fraction(Math.cbrt(p));
    if (i < 8) START[i] = fraction(Math.sqrt(p));
  });
}

/**
 * Return the UTF-8 of a text.
 *
 * @param {string} text
 */
export function utf8(text) {
  const bytes = new Uint8Array(3 * text.length);
  let size = 0;
  for (let at = 0; at < text.length; at++) {
    let code = text.charCodeAt(at);
    if (code < 0x80) {
      bytes[size++] = code;
      continue;
    }
    if (code >= 0xd800 && code < 0xdc00 && at + 1 < text.length) {
      const low = text.charCodeAt(at + 1);
      if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        at += 1;
      }
    }
    if (code >= 0xd800 && code < 0xe000) code = 0xfffd; // half a pair
    if (code < 0x800) bytes[size++] = 0xc0 | (code >> 6);
    else {
      if (code < 0x10000) bytes[size++] = 0xe0 | (code >> 12);
      else {
        bytes[size++] = 0xf0 | (code >> 18);
        bytes[size++] = 0x80 | ((code >> 12) & 63);
      }
      bytes[size++] = 0x80 | ((code >> 6) & 63);
    }
    bytes[size++] = 0x80 | (code & 63);
  }
  return bytes.subarray(0, size);
}

/**
 * Return the text of bytes in UTF-8; what is none is replaced by U+FFFD.
 *
 * @param {Uint8Array} bytes
 */
export function fromUtf8(bytes) {
  /** @type {string[]} */
  const parts = [];
  /** @type {number[]} */
  let units = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at++];
    let more = first < 0x80 ? 0 : first >> 5 === 6 ? 1 : first >> 4 === 14 ? 2 : 3;
    let code = first < 0x80 ? first : first & (0x3f >> more);
    if (first >= 0x80 && first < 0xc2) [code, more] = [0xfffd, 0];
    for (; more > 0; more--) {
      if ((bytes[at] & 0xc0) !== 0x80) {
        code = 0xfffd;
        break;
      }
      code = (code << 6) | (bytes[at++] & 0x3f);
    }
    if (code > 0xffff) {
      units.push(0xd800 + ((code - 0x10000) >> 10), 0xdc00 + (code & 0x3ff));
    } else units.push(code);
    if (units.length > 4096) {
      parts.push(String.fromCharCode(...units));
      units = [];
    }
  }
  return parts.join("") + String.fromCharCode(...units);
}

/**
 * Return the SHA-256 of bytes as eight numbers of 32 bits.
 *
 * @param {Uint8Array} bytes
 */
export function digestWords(bytes) {
  const state = START.slice();
  const words = new Int32Array(64);
  const whole = bytes.length - (bytes.length % 64);
  for (let at = 0; at < whole; at += 64) digestBlock(state, words, bytes, at);
  const rest = bytes.length - whole;
  const tail = new Uint8Array(rest < 56 ? 64 : 128);
  tail.set(bytes.subarray(whole));
  tail[rest] = 0x80;
  const end = new DataView(tail.buffer);
  end.setUint32(tail.length - 8, Math.floor(bytes.length / 2 ** 29));
  end.setUint32(tail.length - 4, (bytes.length << 3) >>> 0);
  for (let at = 0; at < tail.length; at += 64) digestBlock(state, words, tail, at);
  return new Uint32Array(state.buffer);
}

/**
 * Return the SHA-256 of bytes, in hexadecimal.
 *
 * @param {Uint8Array} bytes
 */
export function sha256(bytes) {
  return [...digestWords(bytes)].map((word) => `0000000${word.toString(16)}`.slice(-8)).join("");
}

/**
 * @param {Int32Array} state changed by the block
 * @param {Int32Array} words 64 of room
 * @param {Uint8Array} bytes
 * @param {number} at where the block begins
 */
function digestBlock(state, words, bytes, at) {
  for (let i = 0, b = at; i < 16; i++, b += 4) {
    words[i] = (bytes[b] << 24) | (bytes[b + 1] << 16) | (bytes[b + 2] << 8) | bytes[b + 3];
  }
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15];
    const y = words[i - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[i] = (words[i - 16] + s0 + words[i - 7] + s1) | 0;
  }
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[i] + words[i]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}
