import { characters } from "./characters.js";

export function truncate(text, max) {
  const all = characters(text);
  return all.length <= max ? text : `${all.slice(0, max).join("")}…`;
}
