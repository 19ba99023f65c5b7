/** Reads comma separated values, RFC 4180. */
export function parse(text, { separator = "," } = {}) {
  const rows = [];
  let row = [];
  let cell = "";
  let quoted = false;
  for (const char of text) {
    if (char === '"') {
      quoted = !quoted;
    } else if (char === separator && !quoted) {
      row.push(cell);
      cell = "";
    } else if (char === "\n") {
      row.push(cell);
      rows.push(row);
      row = [];
      cell = "";
    } else if (char !== "\r") {
      cell += char;
    }
  }
  if (cell !== "") {
    row.push(cell);
    rows.push(row);
  }
  return rows;
}
