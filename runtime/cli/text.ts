/** Left-aligned columns two blanks apart, the widest cell deciding; no blanks at the ends of lines. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, width(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, i) => cell + " ".repeat(widths[i]! - width(cell)))
      .join("  ")
      .trimEnd(),
  );
}

/** Terminal cells, for text without wide characters. */
export const width = (text: string) => [...text].length;

/** At most `cells` wide; what is cut off leaves a mark. */
export function clip(text: string, cells: number): string {
  const characters = [...text];
  if (characters.length <= cells) return text;
  return cells < 1 ? "" : `${characters.slice(0, cells - 1).join("")}…`;
}

/** Without what could move the cursor or change colours. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "").replace(/[\x00-\x1f\x7f]+/g, " ");
}

/** Three significant digits, or all digits of a whole number in groups. */
export function number(value: string | number): string {
  if (typeof value === "string") return plain(value);
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en-US");
  const digits = value.toPrecision(3);
  return digits.includes("e") || Math.abs(value) >= 100 ? digits : String(Number(digits));
}

/** 0:42, 12:05, 1:02:03 */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** 870 ms, 12.3 s */
export const took = (ms: number) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** 812 KB, 34.5 MB, 1.2 GB */
export function bytes(n: number): string {
  const [unit, size] = n >= 1e9 ? (["GB", 1e9] as const) : n >= 1e6 ? (["MB", 1e6] as const) : (["KB", 1e3] as const);
  return `${number(n / size)} ${unit}`;
}
