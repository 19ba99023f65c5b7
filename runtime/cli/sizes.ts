import { nearest } from "../core/nearest.js";
import type { ObjectLimits } from "../objects/ledger.js";
import { type Document, isSection } from "./config.js";
import { UsageError } from "./usage.js";

const keys = ["memory", "disk"] as const;
const units: Record<string, number> = {
  "": 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** What `objects:` says the objects of this host may take. @throws UsageError */
export function readObjectLimits(document: Document): Partial<ObjectLimits> {
  const section = document["objects"] ?? {};
  if (!isSection(section)) throw new UsageError("objects must be a section, such as objects: { memory: 8GiB }");
  const unknown = Object.keys(section).find((key) => !(keys as readonly string[]).includes(key));
  if (unknown !== undefined) {
    const guess = nearest(unknown, keys);
    throw new UsageError(`unknown key objects.${unknown}${guess ? `: did you mean ${guess}?` : ""}`, {
      hint: `objects takes ${keys.join(" and ")}.`,
    });
  }
  return Object.fromEntries(
    keys.filter((key) => section[key] !== undefined).map((key) => [key, readSize(section[key], `objects.${key}`)]),
  );
}

/** Bytes. @throws UsageError that names the key */
function readSize(value: unknown, key: string): number {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?) ?([KMGT]i?B)?$/.exec(String(value)) ?? [];
  const bytes = Math.floor(Number(amount) * (units[unit] ?? Number.NaN));
  if (Number.isSafeInteger(bytes)) return bytes;
  throw new UsageError(`${key} must be a size such as 512MiB or 8GiB, not ${JSON.stringify(value)}`);
}
