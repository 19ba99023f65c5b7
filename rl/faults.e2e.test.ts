import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { readClusterFile } from "../runtime/cluster/state.js";
import { type ActorSystem, join as joinCluster } from "../runtime/index.js";

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

it("a run in which policy, rollout, learner rank, nats-server and node agent are killed ends as if nothing had died", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "faults-test-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const args = [program, "up", "--nodes", "3", "--seed", "1", "--json", ...settings];
  const child = spawn(process.execPath, args, { cwd: dir, stdio: ["ignore", "pipe", "inherit"], timeout: limitMs });
  t.after(() => child.kill("SIGKILL"));
  const clusterFile = join(dir, ".actors", "cluster.json");
  const texts: string[] = [];
  const expected: RegExp[] = [];
  let system: ActorSystem | undefined;
  let end: { ok?: boolean; summary?: string[] } = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line);
    if (said.event === "end") end = said;
    if (said.text) texts.push(said.text);
    if (said.event === "up") system = await joinCluster({ cluster: clusterFile });
    const death = said.event === "progress" && said.phase === "training" ? deaths.get(said.step) : undefined;
    if (!death) continue;
    deaths.delete(said.step);
    process.kill(death.victim(system!, clusterFile), "SIGKILL");
    expected.push(death.said);
  }
  if (child.exitCode === null) await once(child, "exit");
  await system?.close();
  assert.equal(child.exitCode, 0, texts.join("\n"));
  assert.equal(deaths.size, 0, "every death was caused");
  for (const said of expected)
    assert.ok(
      texts.some((text) => said.test(text)),
      `${said} in:\n${texts.join("\n")}`,
    );
  assert.equal(end.ok, true);
  const [run] = readdirSync(join(dir, "runs")).filter((name) => name !== "latest");
  const summary = JSON.parse(readFileSync(join(dir, "runs", run!, "summary.json"), "utf8"));
  assert.deepEqual(
    { steps: summary.steps, episodes: summary.episodes, failed: summary.failedEpisodes },
    { steps: 12, episodes: 12 * 6 * 8, failed: 0 },
  );
});
