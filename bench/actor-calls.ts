import { localSystem } from "../runtime/index.js";
import { type Client, client, inFlight, inSequence, server } from "./actors.js";
import type { Benchmark } from "./harness.js";
import { type Bench, firstWarmUpMs, ours, repeat, startBench, theirs, type Work } from "./measure.js";
import { startRay } from "./ray.js";

const defaultRounds = 5;
const batch = 1_000;
const clients = 4;
const servers = 4;
const argumentBytes = 1 << 10;

/** Rows that both systems run; bench/actor-calls.ray.py knows them by the same names. */
const shared = {
  "1:1 sync": "one caller, one actor, one call in flight",
  "1:1 async": `one caller, one actor, ${batch} calls in flight`,
  "1:n async": `one caller, ${servers} actors in turn, ${batch} calls in flight`,
  "n:n async": `${clients} calling actors, ${servers} called ones, ${batch} calls in flight each`,
  "n:n async with argument": `the same, each call with an array of ${argumentBytes} bytes`,
};

type Row = keyof typeof shared;

const bench: Benchmark = {
  claim: "Calls between actors in processes of their own, on one host, are faster and cheaper than Ray's.",
  leavesOut: [
    "calls between hosts; large arguments, streams, latency under load: benchmarks of their own",
    "what a handler of real use does: these return two letters",
  ],

  async measure(report, { runs: rounds = defaultRounds }) {
    const ways = [await startWay("actors", true), await startWay("actors by NATS", false)];
    const local = await localSystem();
    const ray = await startRay(report, "actor-calls.ray.py");
    try {
      for (const [row, text] of Object.entries(shared)) report.remark(`${row}: ${text}`);
      report.remark("actors: over direct links; actors by NATS: the same with ACTORS_DIRECT=0");
      for (const { works } of ways) for (const work of Object.values(works)) await repeat(work, firstWarmUpMs);
      // A B A B: whatever else the machine does, it does to all.
      for (let round = 1; round <= rounds; round++) {
        for (const row of Object.keys(shared) as Row[]) {
          for (const { name, works, pids } of ways) await ours(report, `${row}, ${name}`, works[row], pids());
          await theirs(report, row, ray, { batch, clients, servers, argumentBytes });
        }
        report.progress(`round ${round} of ${rounds}`);
      }
      for (const hosting of ["thread", "inline"] as const) {
        const near = await local.spawn(server, { hosting });
        await repeat(() => inSequence(near), firstWarmUpMs);
        for (let round = 1; round <= rounds; round++) {
          await ours(report, `1:1 sync, ${hosting}, actors`, () => inSequence(near), [process.pid]);
          await ours(report, `1:1 async, ${hosting}, actors`, () => inFlight([near], batch).then(() => batch), [
            process.pid,
          ]);
        }
      }
      report.remark("thread, inline: actors in the caller's own process, without NATS; no like of Ray's beside them");
    } finally {
      await ray?.close();
      await local.close();
      for (const { stop } of ways) await stop();
    }
  },
};
export default bench;

/** A cluster with actors that call each other in one of the two ways there are between processes of a host. */
async function startWay(name: string, direct: boolean): Promise<Bench & { name: string; works: Record<Row, Work> }> {
  process.env["ACTORS_DIRECT"] = direct ? "1" : "0"; // this process, and those it starts
  const cluster = await startBench({ nodes: 2 });
  const { system } = cluster;
  const called = await system.spawnGroup(server, servers, { hosting: "process" });
  const args: ConstructorParameters<typeof Client> = [[...called]];
  const calling = await system.spawnGroup(client, clients, { hosting: "process", args: () => args });
  const one = called[0]!;
  return {
    ...cluster,
    name,
    works: {
      "1:1 sync": () => inSequence(one),
      "1:1 async": () => inFlight([one], batch).then(() => batch),
      "1:n async": () => inFlight([...called], batch).then(() => batch),
      "n:n async": () => calling.batch.all(batch).then(() => clients * batch),
      "n:n async with argument": () => calling.batchWith.all(batch, argumentBytes).then(() => clients * batch),
    },
  };
}
