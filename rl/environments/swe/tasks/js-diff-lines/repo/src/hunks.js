/** Groups of changes with `context` equal lines around: { from, to, changes }. */
export function hunks(changes, context = 3) {
  const first = changes.findIndex(({ type }) => type !== "same");
  const start = first - context;
  return [{ from: start, to: start, changes: changes.slice(start) }];
}
