/** A line of a log: pino's JSON, or whatever a process wrote on its way down. */
export interface Line {
  /** Unix milliseconds; that of the line before where it has none of its own. */
  at: number;
  source: string;
  text: string;
  record: Record<string, unknown> | undefined;
}

const levels: Record<number, string> = { 10: "trace", 20: "debug", 30: "info", 40: "warn", 50: "error", 60: "fatal" };
const shownElsewhere = new Set(["level", "time", "pid", "name", "msg", "err", "hostname"]);

export function parseLine(source: string, text: string, before: number): Line {
  const record = text.startsWith("{") ? parseRecord(text) : undefined;
  const time = record?.["time"];
  return { at: typeof time === "number" ? time : (natsTime(text) ?? before), source, text, record };
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** `[123] 2026/01/31 10:11:12.345678 [INF] …`, in local time */
function natsTime(text: string): number | undefined {
  const found = /^\[\d+\] (\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d\.\d{3})/.exec(text);
  return found ? Date.parse(`${found[1]}-${found[2]}-${found[3]}T${found[4]}`) : undefined;
}

/** One line for people, or one object: pino's record (or `{ msg }`) with the log it comes from. */
export function formatLine({ at, source, text, record }: Line, json: boolean): string {
  if (json) return `${JSON.stringify({ log: source, ...(record ?? { time: at, msg: text }) })}\n`;
  const clock = at > 0 ? clockTime(new Date(at)) : " ".repeat(12);
  if (!record) return `${clock} ${source}  ${text}\n`;
  const level = levels[Number(record["level"])] ?? String(record["level"]);
  const rest = Object.entries(record).filter(([key]) => !shownElsewhere.has(key));
  const fields = rest
    .map(([key, value]) => ` ${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("");
  return `${clock} ${source} ${level}  ${record["msg"] ?? ""}${fields}\n${errorText(record["err"])}`;
}

const clockTime = (date: Date) =>
  `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, "0")}`;

function errorText(err: unknown): string {
  if (typeof err !== "object" || err === null) return "";
  const { stack, message } = err as { stack?: string; message?: string };
  return `${stack ?? message ?? ""}`
    .split("\n")
    .map((line) => `    ${line}\n`)
    .join("");
}
