import { limit } from "./limit.js";

/** `Promise.all` of `work` over the items, at most `max` at once. */
export function mapLimited(items, max, work) {
  const run = limit(max);
  return Promise.all(items.map((item, i) => run(() => work(item, i))));
}
