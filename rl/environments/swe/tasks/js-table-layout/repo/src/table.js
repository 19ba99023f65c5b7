import { pad } from "./pad.js";

/** Lines of a table; columns are two blanks apart. */
export function table(rows, { align = [] } = {}) {
  const widths = rows[0].map((cell) => cell.length);
  return rows.map((row) => row.map((cell, i) => pad(String(cell), widths[i], align[i])).join("  "));
}
