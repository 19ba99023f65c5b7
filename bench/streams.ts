import type { Benchmark } from "./harness.js";
import { firstWarmUpMs, ours, repeat, startBench, theirs, type Work } from "./measure.js";
import { startRay } from "./ray.js";
import { queue, source } from "./stream-actors.js";

const defaultRounds = 5;
const items = 1_000;
const batch = 64;

/** Rows that both systems run; bench/streams.ray.py knows them by the same names. */
const shared = {
  "stream items": `an actor's generator of ${items} numbers, read with for await; Ray: a streaming generator`,
  "queue put and get":
    "a queue in an actor; one client puts an item and gets it, one after the other; Ray: ray.util.queue",
  "graph sync": "a number to an actor and back, one at a time; Ray: a compiled graph; ours: an ordinary call",
  "graph pipelined": `the same, ${batch} under way at once`,
};
type Row = keyof typeof shared;

const bench: Benchmark = {
  claim: "Streams and queues are faster than Ray's, and ordinary calls as fast as its compiled graphs.",
  leavesOut: ["streams between hosts, and streams into an actor", "graphs of more than one actor, and those on GPUs"],

  async measure(report, { runs: rounds = defaultRounds }) {
    const { system, pids, stop } = await startBench({ nodes: 1 });
    const ray = await startRay(report, "streams.ray.py");
    try {
      const one = await system.spawn(source, { hosting: "process" });
      const line = await system.spawn(queue, { hosting: "process" });
      const works: Record<Row, Work> = {
        async "stream items"() {
          let count = 0;
          for await (const _ of one.count(items)) count++;
          return count;
        },
        async "queue put and get"() {
          for (let i = 0; i < batch; i++) {
            await line.put(i);
            await line.get();
          }
          return batch;
        },
        async "graph sync"() {
          for (let i = 0; i < batch; i++) await one.echo(i);
          return batch;
        },
        async "graph pipelined"() {
          const calls = new Array<Promise<number>>(batch);
          for (let i = 0; i < batch; i++) calls[i] = one.echo(i);
          await Promise.all(calls);
          return batch;
        },
      };
      for (const [row, text] of Object.entries(shared)) report.remark(`${row}: ${text}`);
      for (const work of Object.values(works)) await repeat(work, firstWarmUpMs);
      for (let round = 1; round <= rounds; round++) {
        for (const row of Object.keys(shared) as Row[]) {
          await ours(report, `${row}, actors`, works[row], pids());
          await theirs(report, row, ray, { batch, items });
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
