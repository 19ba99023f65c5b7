import { parse } from "./parse.js";

/** Below 0 when `a` is older than `b`. */
export function compare(a, b) {
  const [left, right] = [parse(a), parse(b)];
  for (const key of ["major", "minor", "patch"]) if (left[key] !== right[key]) return left[key] - right[key];
  return left.pre < right.pre ? -1 : left.pre > right.pre ? 1 : 0;
}

export const sort = (versions) => [...versions].sort(compare);

export const max = (versions) => versions.reduce((best, next) => (compare(next, best) > 0 ? next : best));
