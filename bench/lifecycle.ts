import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pause, withDeadline } from "../runtime/index.js";
import { type Benchmark, type Report, root } from "./harness.js";
import { mortal } from "./lifecycle-actors.js";
import { type Bench, startBench, timed } from "./measure.js";
import { findRay, type Ray, startRay } from "./ray.js";

const defaultRounds = 3;
const inSequence = 10;
const atOnce = 100;
const atOnceOfRay = 16; // 100 of its processes take it two minutes and 5 GB
const patienceMs = 120_000;
const settleMs = 1_500; // between two deaths: what was lost meanwhile has been made ready again
const hostings = ["process", "thread", "inline"] as const;
type Hosted = (typeof hostings)[number];

/** Rows that both systems run; bench/lifecycle.ray.py knows them by the same names. */
const create = "create one, first answer";
const createMany = "create many at once, per actor";
const killed = "SIGKILL of an actor's process until it answers";
const nodeKilled = "SIGKILL of a node until its actor answers elsewhere";
const cold = "cold start until an actor answers";

const bench: Benchmark = {
  claim: "Actors start, and start again after their process or node was killed, sooner than Ray's.",
  leavesOut: ["modules that take long to load, dependencies to install", "nodes that are cut off or frozen"],

  async measure(report, { runs: rounds = defaultRounds }) {
    const own = await startBench({ nodes: 2 });
    const ray = await startRay(report, "lifecycle.ray.py", { still: false });
    try {
      remarks(report);
      for (const hosting of hostings) await creations(own, hosting); // loads what is needed once
      for (let round = 1; round <= rounds; round++) {
        for (const hosting of hostings) {
          for (let i = 0; i < inSequence; i++)
            report.add(`${create}, actors ${hosting}`, "ms", await creations(own, hosting));
          report.add(`${createMany}, actors ${hosting}`, "ms", (await creations(own, hosting, atOnce)) / atOnce);
        }
        for (const ms of await recoveries(own)) report.add(`${killed}, actors`, "ms", ms);
        report.add(`${nodeKilled}, actors`, "ms", await nodeLoss(own));
        await rays(report, ray);
        await coldStarts(report);
        report.progress(`round ${round} of ${rounds}`);
      }
    } finally {
      await ray?.close();
      await own.stop();
    }
  },
};
export default bench;

function remarks(report: Report): void {
  report.remark(`${create}: one after the other, each stopped before the next`);
  report.remark(`${createMany}: ${atOnce} at once, until all have answered; Ray: ${atOnceOfRay} at once`);
  report.remark(`${killed}: the first death of an actor, after which ours starts again without a delay`);
  report.remark(`${nodeKilled}: one of two nodes on this machine, by the death of its agent; Ray: of its raylet`);
  report.remark(`${cold}: of a process; ours in a process: nats-server, a node, an actor; Ray: import, init, an actor`);
}

/** Milliseconds until all of them answered. */
async function creations({ system }: Bench, hosting: Hosted, count = 1): Promise<number> {
  const started = performance.now();
  const made = await Promise.all(
    Array.from({ length: count }, async () => {
      const one = await system.spawn(mortal, { hosting, timeoutMs: patienceMs });
      await one.pid();
      return one;
    }),
  );
  const ms = performance.now() - started;
  await Promise.all(made.map((one) => system.stop(one)));
  return ms;
}

async function recoveries({ system }: Bench): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < 3; i++) {
    const one = await system.spawn(mortal, { hosting: "process" });
    const pid = await one.pid();
    await pause(settleMs);
    process.kill(pid, "SIGKILL");
    taken.push(await timed(() => one.pid.with({ timeoutMs: patienceMs })()));
    await system.stop(one);
  }
  return taken;
}

async function nodeLoss({ system }: Bench): Promise<number> {
  const one = await system.spawn(mortal, { hosting: "process" });
  await one.pid();
  const of = system.ps().actors.find((each) => each.def === mortal.name && each.state === "RUNNING")!;
  const { pid } = system.ps().nodes.find((node) => node.id === of.node)!;
  process.kill(pid, "SIGKILL");
  const ms = await timed(async () => {
    while ((await one.pid.with({ timeoutMs: patienceMs })()) === of.pid) {} // its process may outlive the node for a moment
  });
  await system.stop(one);
  while (system.ps().nodes.filter(({ state }) => state === "up").length < 2) await pause(settleMs);
  return ms;
}

async function rays(report: Report, ray: Ray | undefined): Promise<void> {
  if (!ray) return;
  const ask = (row: string): Promise<number[]> => ray.measure({ row, inSequence, atOnce: atOnceOfRay });
  for (const row of [create, createMany, killed, nodeKilled])
    for (const ms of await ask(row)) report.add(`${row}, Ray`, "ms", ms);
}

async function coldStarts(report: Report): Promise<void> {
  const main = join(root, "dist", "bench", "cold-main.js");
  report.add(`${cold}, actors process`, "ms", await coldStart(process.execPath, [main, "process"]));
  report.add(`${cold}, actors inline`, "ms", await coldStart(process.execPath, [main, "inline"]));
  const python = findRay()?.python;
  if (python) report.add(`${cold}, Ray`, "ms", await coldStart(python, [join(root, "bench", "cold.ray.py")]));
}

/** Milliseconds from the start of the process until it says a line. */
async function coldStart(program: string, args: string[]): Promise<number> {
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, RAY_USAGE_STATS_ENABLED: "0" },
  });
  const ended = once(child, "exit");
  const ms = await timed(() => withDeadline(once(child.stdout, "data"), patienceMs, `a cold start of ${program}`));
  await withDeadline(ended, patienceMs, `the end of ${program}`);
  return ms;
}
