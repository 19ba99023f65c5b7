const needsQuotes = /[",\r\n]/;

/** Writes rows that `parse` reads back. */
export function write(rows) {
  return rows.map((row) => row.map(quote).join(",")).join("\n") + "\n";
}

function quote(cell) {
  const text = String(cell);
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
