import { keyOf } from "./key.js";

/** `load` with results kept for `ttlMs`. */
export function cached(load, { ttlMs, now = Date.now }) {
  const entries = new Map();
  const get = async (key) => {
    const name = keyOf(key);
    const entry = entries.get(name);
    if (entry && entry.at + ttlMs > now()) return entry.value;
    const at = now();
    const value = await load(key);
    entries.set(name, { value, at });
    return value;
  };
  get.invalidate = (key) => entries.delete(keyOf(key));
  return get;
}
