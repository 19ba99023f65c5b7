import { createRequire } from "node:module";
import type pino from "pino";

export type Logger = pino.Logger;

const ranks = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 };

/** JSON lines on stderr. `ACTORS_LOG` sets the level; programs are quiet by default, agents and workers say what they do. */
export function makeLogger(name: string, fallback: pino.Level = "warn"): Logger {
  const level = (process.env["ACTORS_LOG"] ?? fallback) as pino.Level;
  return lazily(level, () => {
    const make = createRequire(import.meta.url)("pino") as typeof pino;
    return make({ name, level, base: { name, pid: process.pid } }, make.destination({ dest: 2, sync: true }));
  });
}

/** Made with the first line it writes: loading pino takes 40 ms of a process's start, and most processes have nothing to say. */
function lazily(level: pino.Level, make: () => Logger): Logger {
  let made: Logger | undefined;
  const get = () => {
    made ??= make();
    return made;
  };
  const least = ranks[level] ?? Number.POSITIVE_INFINITY;
  const child = (bindings: pino.Bindings) => lazily(level, () => get().child(bindings));
  return new Proxy({} as Logger, {
    get(_, key) {
      if (key === "child") return child;
      if (made === undefined && least > (ranks[key as pino.Level] ?? least)) return () => {};
      const value: unknown = Reflect.get(get(), key);
      return typeof value === "function" ? value.bind(get()) : value;
    },
  });
}
