import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { processesOf } from "../runtime/cli/force.js";
import { kill } from "../runtime/cli/processes.js";
import { readClusterFile } from "../runtime/cluster/state.js";
import { type ActorSystem, join as joinCluster } from "../runtime/index.js";
import { readLedger } from "./run/ledger.js";

const limitMs = 240_000;
const program = fileURLToPath(new URL("./main.js", import.meta.url));

/** A short run of the built-in recipe: every part is real, only the numbers are small. */
const settings = [
  "trainer.max_training_steps=12",
  "trainer.train_batch_size=6",
  "trainer.policy_mini_batch_size=6",
  "trainer.warm_start.steps=40",
  "environment.eval_tasks=16",
  "environment.sandboxes=12",
].flatMap((setting) => ["--set", setting]);

type Victim = (system: ActorSystem, clusterFile: string) => number;
const actor =
  (def: string): Victim =>
  (system) =>
    system.ps().actors.find((a) => a.def === def && a.state === "RUNNING")!.pid;
const node: Victim = (system) => {
  const { actors, nodes } = system.ps();
  const host = actors.find((a) => a.def === "learner" && a.state === "RUNNING")!.node;
  return nodes.find((n) => n.id === host)!.pid;
};
const nats: Victim = (_system, clusterFile) => readClusterFile(clusterFile).natsPids[0]!;

/** Training step after which each dies, and what the log must say of it. */
const deaths = new Map<number, { victim: Victim; said: RegExp }>([
  [1, { victim: actor("policy"), said: /^policy\(\w+\) runs again on n\d/ }],
  [3, { victim: actor("rollout"), said: /^rollout\(\w+\) runs again on n\d/ }],
  [5, { victim: actor("learner"), said: /^learner\(\w+\) runs again on n\d/ }],
  [7, { victim: nats, said: /^nats-server ended on SIGKILL; started again/ }],
  [9, { victim: node, said: /^node n\d is gone \(its agent ended on SIGKILL\)/ }],
]);

interface Up {
  child: ChildProcess;
  /** What was said, as the log would show it. */
  texts: string[];
  /** Resolves at the end of the process, with what it said of the end. */
  ended: Promise<{ ok?: boolean; summary?: string[] }>;
}

/** `actors up --json`; `onStep` gets the training steps as they are done. */
function up(cwd: string, args: string[], onStep: (step: number) => void | Promise<void>): Up {
  const child = spawn(process.execPath, [program, "up", "--json", ...args], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
    timeout: limitMs,
  });
  const texts: string[] = [];
  const listen = async () => {
    let end = {};
    for await (const line of createInterface({ input: child.stdout })) {
      const said = JSON.parse(line);
      if (said.event === "end") end = said;
      if (said.text) texts.push(said.text);
      if (said.event === "progress" && said.phase === "training") await onStep(said.step);
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    return end;
  };
  return { child, texts, ended: listen() };
}

it("a run in which everything is killed, part by part and then at once, ends as if nothing had died", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "faults-test-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const clusterFile = join(dir, ".actors", "cluster.json");
  const expected: RegExp[] = [];
  let system: ActorSystem | undefined;
  const first = up(dir, ["--nodes", "3", "--seed", "1", ...settings], async (step) => {
    system ??= await joinCluster({ cluster: clusterFile });
    const death = deaths.get(step);
    deaths.delete(step);
    if (death) {
      process.kill(death.victim(system, clusterFile), "SIGKILL");
      expected.push(death.said);
    }
    if (step !== 11 || first.child.killed) return;
    const { natsPids } = readClusterFile(clusterFile);
    const all = [...processesOf(clusterFile), ...natsPids].filter((pid) => pid !== process.pid);
    first.child.kill("SIGKILL");
    for (const pid of all) kill(pid, "SIGKILL");
  });
  t.after(() => first.child.kill("SIGKILL"));
  await first.ended;
  await system?.close();
  const said = first.texts.join("\n");
  assert.equal(first.child.signalCode, "SIGKILL", said);
  assert.equal(deaths.size, 0, "every death was caused");
  for (const each of expected) {
    assert.ok(
      first.texts.some((text) => each.test(text)),
      `${each} in:\n${said}`,
    );
  }
  const second = up(dir, ["--resume", "latest", "--nodes", "1", "--set", "trainer.learner_ranks=1"], () => {});
  t.after(() => second.child.kill("SIGKILL"));
  const end = await second.ended;
  assert.equal(second.child.exitCode, 0, second.texts.join("\n"));
  assert.equal(end.ok, true);
  assert.match(second.texts.join("\n"), /^resumed at step 1[12]: the state after step 10, and [12] steps again$/m);
  const folder = realpathSync(join(dir, "runs", "latest"));
  const summary = JSON.parse(readFileSync(join(folder, "summary.json"), "utf8"));
  assert.deepEqual(
    { steps: summary.steps, episodes: summary.episodes, failed: summary.failedEpisodes },
    { steps: 12, episodes: 12 * 6 * 8, failed: 0 },
  );
  const trained = readLedger(folder).flatMap((record) => (record.kind === "step" ? record.trained : []));
  assert.equal(new Set(trained.map((key) => key.split("/").slice(0, 3).join("/"))).size, 12 * 6 * 8);
  for (const line of readFileSync(join(folder, "metrics.jsonl"), "utf8").trim().split("\n")) {
    assert.ok(JSON.parse(line).staleness.max <= 1, line);
  }
  assert.equal(existsSync(clusterFile), false);
  assert.deepEqual(
    readdirSync("/dev/shm").filter((name) => name.includes(basename(folder))),
    [],
  );
});
