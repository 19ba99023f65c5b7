/** Changes from `a` to `b`, lists of lines: { type: "same" | "del" | "add", line }. */
export function diff(a, b) {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  return [
    ...a.slice(0, i).map((line) => ({ type: "same", line })),
    ...a.slice(i).map((line) => ({ type: "del", line })),
    ...b.slice(i).map((line) => ({ type: "add", line })),
  ];
}
