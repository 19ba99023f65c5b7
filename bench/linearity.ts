import { type Handle, pause } from "../runtime/index.js";
import { inFlight, type Server, server } from "./actors.js";
import { type Benchmark, cpuSeconds, type Report } from "./harness.js";
import { type Bench, firstWarmUpMs, ours, pssMib, repeat, startBench } from "./measure.js";

const defaultRounds = 3;
const defaultMost = 10_000;
const defaultNodes = 10;
const levels = [10, 1_000, 10_000, 100_000];
const nodeLevels = [1, 10, 50];
const batch = 1_000;
const abreast = 500;
const sync = 100;
const idleMs = 5_000;
const heartMs = 3_000; // nodes have begun what they put off

const bench: Benchmark = {
  claim: "What a call costs does not depend on how many actors live, or on how many nodes there are.",
  leavesOut: ["nodes on machines of their own", "calls that spread over more processes than there are processors"],

  async measure(report, { runs: rounds = defaultRounds, most = defaultMost, nodes: mostNodes = defaultNodes }) {
    report.remark("inline actors of one node, called in turn from one client; nodes are processes on this machine");
    await actorsOnANode(report, rounds, most);
    for (const nodes of nodeLevels.filter((n) => n <= mostNodes)) await nodesOnAMachine(report, rounds, nodes);
  },
};
export default bench;

async function actorsOnANode(report: Report, rounds: number, most: number): Promise<void> {
  const own = await startBench({ nodes: 1, spares: 0 });
  try {
    const all: Handle<Server>[] = [];
    const [node] = own.system.ps().nodes;
    for (const level of levels.filter((n) => n <= most)) {
      const [before, began, cpu] = [pssMib([node!.pid]), performance.now(), cpuSeconds(own.pids())];
      const added = level - all.length;
      while (all.length < level)
        all.push(
          ...(await Promise.all(
            Array.from({ length: Math.min(abreast, level - all.length) }, () =>
              own.system.spawn(server, { hosting: "inline" }),
            ),
          )),
        );
      const at = `${level} live actors`;
      report.add(`${at}: a spawn`, "us", ((performance.now() - began) / added) * 1e3);
      report.add(`${at}: a spawn, CPU of all processes`, "us", ((cpuSeconds(own.pids()) - cpu) / added) * 1e6);
      report.add(
        `${at}: memory of the node's process, an actor`,
        "KiB",
        ((pssMib([node!.pid]) - before) / added) * 1024,
      );
      await calls(report, own, at, all, rounds);
      report.progress(at);
    }
  } finally {
    await own.stop();
  }
}

async function nodesOnAMachine(report: Report, rounds: number, nodes: number): Promise<void> {
  const own = await startBench({ nodes, spares: 0 });
  try {
    const all = await Promise.all(
      Array.from({ length: nodes }, (_, i) => own.system.spawn(server, { hosting: "inline", node: `n${i + 1}` })),
    );
    await pause(heartMs);
    const at = `${nodes} nodes`;
    const cpu = cpuSeconds(own.pids());
    await pause(idleMs);
    report.add(`${at}: CPU while idle, of one processor`, "%", ((cpuSeconds(own.pids()) - cpu) / idleMs) * 1e5);
    report.add(`${at}: memory while idle`, "MiB", pssMib(own.pids()));
    await calls(report, own, at, all, rounds);
    report.progress(at);
  } finally {
    await own.stop();
  }
}

async function calls(report: Report, own: Bench, at: string, all: readonly Handle<Server>[], rounds: number) {
  let next = 0;
  const one = async () => {
    for (let i = 0; i < sync; i++) await all[next++ % all.length]!.value();
    return sync;
  };
  const many = async () => {
    const from = next % all.length;
    next += batch;
    const turn = Array.from({ length: Math.min(batch, all.length) }, (_, i) => all[(from + i) % all.length]!);
    await inFlight(turn, batch);
    return batch;
  };
  await repeat(one, firstWarmUpMs);
  await repeat(many, firstWarmUpMs);
  for (let round = 0; round < rounds; round++) {
    await ours(report, `${at}: calls one after the other`, one, own.pids());
    await ours(report, `${at}: calls, ${batch} in flight`, many, own.pids());
  }
}
