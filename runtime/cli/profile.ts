import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { join } from "../join.js";
import { findActor } from "./find.js";
import { bytes, columns, number, plain } from "./text.js";

export interface ProfileRun {
  actor: string;
  file: string;
  bytes: number;
  seconds: number;
  /** Where the thread itself spent its time, the most first; the share of all samples. */
  top: { function: string; at: string; percent: number }[];
}

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number }; hitCount?: number }[];
}

const listed = 8;

/** @throws UsageError when nothing is called so; ActorsError UNAVAILABLE when it does not run, CANCELLED */
export async function profile(
  wanted: string,
  options: { seconds: number; out?: string | undefined; cwd: string; signal: AbortSignal },
): Promise<ProfileRun> {
  await using system = await join({ required: true });
  const found = findActor(wanted, system.ps().actors);
  const actor = found.name || found.id;
  const file = resolve(options.cwd, options.out ?? `${actor.replace(/[^\w.-]+/g, "_")}.cpuprofile`);
  let text = "";
  for await (const piece of system.introspection().profile(found.id, options.seconds * 1000, options.signal))
    text += piece;
  await writeFile(file, text);
  return { actor, file, bytes: Buffer.byteLength(text), seconds: options.seconds, top: busiest(JSON.parse(text)) };
}

export function busiest({ nodes }: CpuProfile): ProfileRun["top"] {
  const hits = new Map<string, number>();
  let all = 0;
  for (const { callFrame, hitCount = 0 } of nodes) {
    const { functionName, url, lineNumber } = callFrame;
    const key = JSON.stringify([functionName || "(anonymous)", url && `${url}:${lineNumber + 1}`]);
    hits.set(key, (hits.get(key) ?? 0) + hitCount);
    all += hitCount;
  }
  const most = [...hits].filter(([, n]) => n > 0).sort(([, a], [, b]) => b - a);
  return most.slice(0, listed).map(([key, n]) => {
    const [name, at] = JSON.parse(key) as [string, string];
    return { function: name, at, percent: (100 * n) / all };
  });
}

export function renderProfile({ actor, file, seconds, bytes: size, top }: ProfileRun): string {
  const rows = top.map(({ function: name, at, percent }) => [`${number(percent)} %`, name, at]);
  const table = columns([["SELF", "FUNCTION", "AT"], ...rows])
    .map(plain)
    .join("\n");
  return `${table}\n\n${number(seconds)} s of ${actor} in ${file} (${bytes(size)})\nOpen it in https://www.speedscope.app, or in a browser's developer tools under Performance.\n`;
}
