import { clusterFileIn } from "../runtime/cluster/state.js";
import { join as joinCluster, pause } from "../runtime/index.js";
import { server } from "./actors.js";
import type { Benchmark, Report } from "./harness.js";
import { type Bench, startBench } from "./measure.js";
import { Load, Messages } from "./soak-load.js";
import { kindsOf, Memory } from "./soak-memory.js";

const defaultMinutes = 1;
const share = 0.7; // of the measured peak
const messagesPerSecond = 200;
const killEveryMs = 6_000;
const lookEveryMs = 2_000;
const settleMs = 40_000; // what a lost link held comes again after 30 s
const restart = { max: 1_000, withinMs: 60_000 };
const hostings = ["process", "process", "process", "thread", "inline"] as const;

const bench: Benchmark = {
  claim:
    "Under load, while processes are killed at random, memory stays flat, no durable message is lost, and no call outlives its deadline.",
  leavesOut: [
    "losses of machines, and of the network between them",
    "slopes of processes that live for less than three minutes",
  ],

  async measure(report, { minutes = defaultMinutes }) {
    const own = await startBench({ nodes: 2 });
    process.env["ACTORS_DIRECT"] = "0"; // for this one connection: what it calls is reached by NATS
    const other = await joinCluster({ cluster: clusterFileIn(own.system.cluster.stateDir) });
    delete process.env["ACTORS_DIRECT"];
    try {
      const actors = await Promise.all(
        hostings.map((hosting, i) =>
          own.system.spawn(server, { hosting, name: `soak-${i}`, node: `n${(i % 2) + 1}`, restart }),
        ),
      );
      const again = await Promise.all(hostings.map((_, i) => other.getOrSpawn(server, { name: `soak-${i}` })));
      await soak(report, own, { direct: new Load(actors), NATS: new Load(again) }, minutes);
    } finally {
      await other.close();
      await own.stop();
    }
  },
};
export default bench;

async function soak(report: Report, own: Bench, loads: Record<string, Load>, minutes: number): Promise<void> {
  const all = Object.values(loads);
  await Promise.all(all.map((load) => load.peak())); // warms up
  const peaks = await Promise.all(all.map((load) => load.peak()));
  const [ended, quiet] = [new AbortController(), new AbortController()];
  const messages = new Messages(own.system);
  const memory = new Memory();
  const reading = messages.receive(quiet.signal);
  const work = [
    ...all.map((load, i) => load.run(peaks[i]! * share, ended.signal)),
    messages.send(messagesPerSecond, ended.signal),
    every(lookEveryMs, ended.signal, () => memory.look(kindsOf(own))),
    every(killEveryMs, ended.signal, () => kill(report, own)),
  ];
  report.remark(
    `${Math.round(share * 100)} % of ${peaks.map((peak) => Math.round(peak)).join(" + ")} calls/s (direct + NATS)`,
  );
  for (let minute = 1; minute <= minutes; minute++) {
    await pause(60_000);
    report.progress(`minute ${minute} of ${minutes}`);
  }
  ended.abort();
  await Promise.all([...work, ...all.map((load) => load.settle())]);
  for (const [way, load] of Object.entries(loads)) {
    report.add(`calls answered, ${way}`, "/s", load.done / minutes / 60);
    for (const [code, n] of load.failed) report.add(`calls failed, ${way}, ${code}`, "", n);
    report.add(`calls stuck, ${way}`, "", load.stuck);
    report.add(`latest end of a call after its deadline, ${way}`, "ms", load.latest);
  }
  const { stored, lost, again } = await messages.settle(settleMs);
  quiet.abort();
  await reading;
  report.add("durable messages stored", "", stored);
  report.add("durable messages lost", "", lost);
  report.add("durable messages that came again, not acknowledged in time", "", again);
  for (const [kind, { perMinute, most, minutes: over }] of memory.slopes()) {
    if (perMinute !== undefined) report.add(`${kind}: memory over ${over.toFixed(1)} minutes`, "MiB/min", perMinute);
    report.add(`${kind}: most memory`, "MiB", most);
  }
}

async function every(ms: number, ended: AbortSignal, step: () => void): Promise<void> {
  while (!ended.aborted) {
    await pause(ms * (0.5 + Math.random()), ended);
    if (!ended.aborted) step();
  }
}

/** One worker, one agent or nats-server. Spared is one worker and one agent, to see how they fare over all that time. */
function kill(report: Report, { system, pids }: Bench): void {
  const { nodes, actors } = system.ps();
  const agents = nodes.filter(({ id, state }) => state === "up" && id.startsWith("n2"));
  const workers = actors.filter(({ hosting, pid, name }) => hosting === "process" && pid > 0 && name !== "soak-0");
  const victims = {
    worker: workers.map(({ pid }) => pid),
    agent: agents.map(({ pid }) => pid),
    "nats-server": [pids()[1]!],
  };
  const dice = Math.random();
  const kind = dice < 0.6 ? "worker" : dice < 0.8 ? "agent" : "nats-server";
  const pid = victims[kind][Math.floor(Math.random() * victims[kind].length)];
  if (!pid) return; // it is being replaced
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    return; // it has just ended
  }
  const row = report.rows.find(({ name }) => name === `killed: ${kind}`);
  if (row) row.samples[0]!++;
  else report.add(`killed: ${kind}`, "", 1);
}
