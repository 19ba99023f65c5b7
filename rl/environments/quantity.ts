import { z } from "zod";

/** In the base unit of its dimension: L, mol/L, s, K, J/mol. */
const units = {
  volume: { L: 1, mL: 1e-3, µL: 1e-6, uL: 1e-6 },
  concentration: { "mol/L": 1, M: 1, "mmol/L": 1e-3, mM: 1e-3 },
  time: { s: 1, ms: 1e-3, min: 60, h: 3600 },
  temperature: { K: 1 },
  "molar energy": { "J/mol": 1, "kJ/mol": 1e3 },
} as const;

type Dimension = keyof typeof units;

/** A text such as `12.5 mL`, read as a number in `unit`; refuses what has no unit or one of another dimension. */
export function quantity<D extends Dimension>(dimension: D, unit: keyof (typeof units)[D] & string) {
  const known = units[dimension] as Record<string, number>;
  const forms = Object.keys(known).join(", ");
  return z
    .string()
    .describe(`a ${dimension} with its unit (${forms}), such as 1.5 ${unit}`)
    .transform((text, context) => {
      const [, number, given = ""] = /^(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\S*)$/.exec(text.trim()) ?? [];
      const factor = Object.hasOwn(known, given) ? known[given] : undefined;
      if (number !== undefined && factor !== undefined) return (Number(number) * factor) / known[unit]!;
      context.addIssue({ code: "custom", message: `expected a ${dimension} in ${forms}, not ${JSON.stringify(text)}` });
      return z.NEVER;
    });
}
