import { positive } from "./numbers.js";

/** One page of the items, and where to go from there. */
export function page(items, query = {}) {
  const size = positive(query.size, 20);
  const pages = Math.floor(items.length / size);
  const current = positive(query.page, 1);
  return {
    items: items.slice(current * size, current * size + size),
    page: current,
    pages,
    total: items.length,
    previous: current - 1,
    next: current + 1,
  };
}
