import { byName } from "./spec.js";

/** spec: name -> { type: "boolean" | "string" | "number", short?, many?, default? } */
export function parseArgs(argv, spec) {
  const options = {};
  const positionals = [];
  for (const [name, { default: value }] of Object.entries(spec)) if (value !== undefined) options[name] = value;
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i];
    if (!arg.startsWith("--")) {
      positionals.push(arg);
      continue;
    }
    const [key, inline] = arg.slice(2).split("=");
    const name = byName(spec, key) ?? key;
    if (spec[name]?.type === "boolean" || !spec[name]) options[name] = true;
    else {
      const value = inline ?? argv[++i];
      options[name] = spec[name].type === "number" ? Number(value) : value;
    }
  }
  return { options, positionals };
}
