import pino from "pino";

export type Logger = pino.Logger;

/** JSON lines on stderr. `ACTORS_LOG` sets the level; programs are quiet by default, agents and workers say what they do. */
export function makeLogger(name: string, fallback: pino.Level = "warn"): Logger {
  const level = process.env["ACTORS_LOG"] ?? fallback;
  return pino({ name, level, base: { name, pid: process.pid } }, pino.destination({ dest: 2, sync: true }));
}
