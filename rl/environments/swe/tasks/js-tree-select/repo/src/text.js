import { Outline } from "./outline.js";

export function toText(outline) {
  const lines = [];
  for (let id = 1; id <= outline.size; id++) lines.push(outline.find(id).text);
  return lines.join("\n");
}

export function from(text) {
  const outline = new Outline();
  for (const line of text.split("\n")) outline.add(line.trim());
  return outline;
}
