import { readFileSync } from "node:fs";
import type { Bench } from "./measure.js";

const leastMs = 180_000; // a shorter life is all warm-up
const warmUp = 1 / 3; // of a life

interface Life {
  kind: string;
  /** Milliseconds, MiB. */
  samples: [at: number, mib: number][];
}

/** Follows what each process holds of the memory, for as long as it lives. */
export class Memory {
  readonly #lives = new Map<number, Life>();

  look(kinds: ReadonlyMap<number, string>): void {
    for (const [pid, kind] of kinds) {
      const mib = rssMib(pid);
      if (mib === 0) continue;
      const life = this.#lives.get(pid) ?? { kind, samples: [] };
      this.#lives.set(pid, life);
      life.samples.push([performance.now(), mib]);
    }
  }

  /** By kind of process: MiB a minute after warm-up, weighed by how long each lived, and the most it held. */
  slopes(): Map<string, { perMinute: number | undefined; most: number; minutes: number }> {
    const all = [...this.#lives.values()];
    return new Map(
      [...new Set(all.map(({ kind }) => kind))].map((kind) => {
        const lives = all.filter((life) => life.kind === kind);
        const most = Math.max(...lives.flatMap(({ samples }) => samples.map(([, mib]) => mib)));
        const settled = lives.flatMap(({ samples }) => {
          const [from, to] = [samples[0]![0], samples.at(-1)![0]];
          if (to - from < leastMs) return [];
          return [samples.filter(([at]) => at >= from + (to - from) * warmUp)];
        });
        const minutes = settled.reduce((sum, each) => sum + length(each), 0);
        const rise = settled.reduce((sum, each) => sum + slope(each) * length(each), 0);
        return [kind, { perMinute: minutes > 0 ? rise / minutes : undefined, most, minutes }];
      }),
    );
  }
}

type Samples = Life["samples"];

const length = (samples: Samples) => (samples.at(-1)![0] - samples[0]![0]) / 60_000;

/** Of the least-squares line, MiB a minute. */
function slope(samples: Samples): number {
  const n = samples.length;
  const mean = (i: 0 | 1) => samples.reduce((sum, each) => sum + each[i], 0) / n;
  const [at, mib] = [mean(0), mean(1)];
  const over = samples.reduce((sum, [t]) => sum + (t - at) ** 2, 0);
  return (samples.reduce((sum, [t, m]) => sum + (t - at) * (m - mib), 0) / over) * 60_000;
}

function rssMib(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // it has ended
  }
}

/** The processes of a cluster, by what they are. */
export function kindsOf({ system, pids }: Bench): Map<number, string> {
  const [client, nats] = pids();
  const { nodes, actors } = system.ps();
  const kinds = new Map<number, string>();
  for (const { pid } of actors) if (pid > 0) kinds.set(pid, "worker");
  for (const { pid, state } of nodes) if (state === "up") kinds.set(pid, "node agent");
  return kinds.set(nats!, "nats-server").set(client!, "client");
}
