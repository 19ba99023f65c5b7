import { escape } from "./escape.js";

/** Fills `{{key}}` with escaped values. */
export function render(template, values) {
  let out = template;
  for (const [key, value] of Object.entries(values)) {
    out = out.replaceAll(`{{${key}}}`, escape(String(value)));
  }
  return out;
}
