/** Parameters of a path under a pattern, or null. */
export function match(pattern, path) {
  const want = split(pattern);
  const have = split(path);
  const params = {};
  for (const [i, segment] of want.entries()) {
    if (segment === "*") {
      params["*"] = have.slice(i).join("/");
      return params;
    }
    if (i >= have.length) return null;
    if (segment.startsWith(":")) params[segment.slice(1)] = have[i];
    else if (segment !== have[i]) return null;
  }
  return want.length === have.length ? params : null;
}

export const split = (path) => path.split("/").filter((segment) => segment !== "");
