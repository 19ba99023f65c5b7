/** Page numbers to show, null for a gap. */
export function pagesShown(current, total) {
  return [1, null, current - 1, current, current + 1, null, total];
}
