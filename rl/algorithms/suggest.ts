import { nearest } from "../../runtime/core/nearest.js";

/** `: did you mean X?` for the nearest known name, or nothing when none is near. */
export function suggest(given: string, known: Iterable<string>): string {
  const name = nearest(given, known);
  return name === undefined ? "" : `: did you mean ${name}?`;
}
