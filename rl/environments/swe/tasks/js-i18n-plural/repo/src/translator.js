import { chain } from "./fallback.js";

/** catalogs: locale -> key -> text | { one, other } | nested */
export function translator(catalogs, locale) {
  return (key, values = {}) => {
    for (const each of chain(locale)) {
      const entry = catalogs[each]?.[key];
      if (!entry) continue;
      const text = typeof entry === "string" ? entry : values.count === 1 ? entry.one : entry.other;
      return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
    }
  };
}
