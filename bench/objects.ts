import type { ActorSystem } from "../runtime/index.js";
import type { Benchmark } from "./harness.js";
import { startBench } from "./measure.js";
import { receiver, sender } from "./object-actors.js";
import { startRay } from "./ray.js";

const defaultRounds = 5;
const warmUps = 3;
const smallBytes = 1 << 10;
const smallCount = 2_000;
const ownCount = 20_000; // at a fiftieth of the time, or a single pause would be the figure
const sentBytes = 100 << 20;
const sentCount = 10;
const hugeBytes = 1 << 30;

/** Rows that both systems run; bench/objects.ray.py knows them by the same names. */
const rows = {
  "put 1 KiB": `${smallCount} puts of a byte array, one after the other`,
  "get 1 KiB": `${smallCount} gets of different objects in the process that put them`,
  "put 1 GiB": "memory that held another object before; without its release",
  "100 MiB to an actor": "an argument, from actor to actor in other processes; the receiver looks at its ends",
  "100 MiB to an actor, read": "the receiver looks at every page",
};
type Row = keyof typeof rows;

const bench: Benchmark = {
  claim: "Small objects are put and got faster than in Ray; large ones pass between actors of one host about as fast.",
  leavesOut: [
    "hosts other than one's own, broadcasts, objects on disk",
    "numbers of clients at once: one process puts and gets at a time",
    "the first put of 1 GiB, which waits for fresh memory from the kernel: a row of its own",
  ],

  async measure(report, { runs: rounds = defaultRounds }) {
    const { system, stop } = await startBench({ nodes: 1 });
    const ray = await startRay(report, "objects.ray.py");
    try {
      const to = await system.spawn(receiver, { hosting: "process" });
      const from = await system.spawn(sender, { hosting: "process", args: [to, sentBytes] });
      const huge = new Uint8Array(hugeBytes).fill(1);
      const works: Record<Row, () => Promise<number[]>> = {
        "put 1 KiB": async () => [(await small(system)).put],
        "get 1 KiB": async () => [(await small(system)).get],
        "put 1 GiB": async () => [await putHuge(system, huge)],
        "100 MiB to an actor": () => from.send("take", sentCount),
        "100 MiB to an actor, read": () => from.send("read", sentCount),
      };
      const order = { smallBytes, smallCount, sentBytes, sentCount, hugeBytes };
      const theirs = async (row: Row): Promise<number[]> => (await ray?.measure({ row, ...order })) ?? [];
      for (const [row, text] of Object.entries(rows)) report.remark(`${row}: ${text}`);
      for (const first of await works["put 1 GiB"]()) report.add("first put of 1 GiB, actors", "s", first);
      for (const first of await theirs("put 1 GiB")) report.add("first put of 1 GiB, Ray", "s", first);
      for (let i = 0; i < warmUps; i++) for (const row of Object.keys(rows) as Row[]) await works[row]();
      for (const row of Object.keys(rows) as Row[]) await theirs(row);
      // A B A B: whatever else the machine does, it does to both.
      for (let round = 1; round <= rounds; round++) {
        for (const row of Object.keys(rows) as Row[]) {
          const [unit, scale] = row.includes("KiB") ? ["us", 1e6] : ["ms", 1e3];
          for (const seconds of await works[row]())
            report.add(`${row}, actors`, unit as string, seconds * (scale as number));
          for (const seconds of await theirs(row))
            report.add(`${row}, Ray`, unit as string, seconds * (scale as number));
        }
        report.progress(`round ${round} of ${rounds}`);
      }
    } finally {
      await ray?.close();
      await stop();
    }
  },
};
export default bench;

/** Seconds of one put and of one get. */
async function small(system: ActorSystem): Promise<{ put: number; get: number }> {
  const value = new Uint8Array(smallBytes).fill(1);
  const refs = [];
  const started = performance.now();
  for (let i = 0; i < ownCount; i++) refs.push(await system.put(value));
  const between = performance.now();
  for (const ref of refs) await system.get(ref);
  const each = (ms: number) => ms / 1000 / ownCount;
  return { put: each(between - started), get: each(performance.now() - between) };
}

async function putHuge(system: ActorSystem, value: Uint8Array): Promise<number> {
  const started = performance.now();
  const ref = await system.put(value);
  const seconds = (performance.now() - started) / 1000;
  await system.free(ref);
  return seconds;
}
