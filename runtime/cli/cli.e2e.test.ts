import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ClusterFile } from "../cluster/state.js";
import { until } from "../cluster/testing.js";
import { probe } from "../cluster/testing-actors.js";
import { pause } from "../core/wait.js";
import { join as joinCluster } from "../join.js";
import { processesOf } from "./force.js";
import { isRunning } from "./processes.js";

const limitMs = 60_000;

/** A folder with a program whose one job counts to `cluster.count` in steps that end when the test says so. */
function project(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "cli-test-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const cli = JSON.stringify(new URL("./cli.js", import.meta.url));
  writeFileSync(
    join(dir, "program.mjs"),
    `import { createCli } from ${cli};
     import { existsSync } from "node:fs";
     import { setTimeout as pause } from "node:timers/promises";
     const count = {
       name: "count", describe: "Counts to three.",
       check({ config }) { if (config.wrong) throw new Error("wrong must not be set"); },
       async run({ signal, progress, line, seed, config }) {
         if (config.fail) throw new Error("the job broke");
         line("counting");
         for (let step = 1; step <= 3; step++) progress({ step, steps: 3, phase: "count", fields: { half: step / 2 }, etaSeconds: null });
         while (config.wait && !signal.aborted) await pause(20);
         if (config.stubborn) await new Promise(() => setInterval(() => {}, 1e6));
         return { ok: !config.bad, summary: ["counted with seed " + seed] };
       },
     };
     const prepare = async () => {
       if (existsSync("no-compiler")) throw Object.assign(new Error("nothing compiles:\\n  no g++"), { hint: "Get g++.", exitCode: 1 });
     };
     process.exitCode = await createCli({ jobs: async () => [count], prepare }).run(process.argv.slice(2));`,
  );
  return dir;
}

function run(dir: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const argv = [join(dir, "program.mjs"), ...args];
  return spawnSync(process.execPath, argv, { cwd: dir, encoding: "utf8", timeout: limitMs });
}

/** Starts `up` and resolves once its output contains `mark`. */
async function start(t: TestContext, dir: string, mark: string, ...args: string[]) {
  const child = spawn(process.execPath, [join(dir, "program.mjs"), "up", ...args], {
    cwd: dir,
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  const said = { text: "" };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said.text += chunk));
  for (const until = Date.now() + limitMs; !said.text.includes(mark); await pause(20)) {
    assert.ok(child.exitCode === null && Date.now() < until, `no "${mark}" in: ${said.text}`);
  }
  return { child, said };
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode;
}

function clusterOf(dir: string): ClusterFile & { pids: number[] } {
  const path = join(dir, ".actors", "cluster.json");
  const file = JSON.parse(readFileSync(path, "utf8")) as ClusterFile;
  return { ...file, pids: [...file.natsPids, ...processesOf(path)] };
}

async function assertNothingLeft(dir: string, { pids, shmPrefix, dir: scratch }: ReturnType<typeof clusterOf>) {
  for (const until = Date.now() + 5000; pids.some(isRunning) && Date.now() < until; ) await pause(20);
  assert.deepEqual(pids.filter(isRunning), [], "processes are left");
  assert.ok(!existsSync(scratch), "the scratch folder is left");
  assert.deepEqual(
    readdirSync("/dev/shm").filter((name) => `/dev/shm/${name}`.startsWith(shmPrefix)),
    [],
  );
  assert.deepEqual(readdirSync(join(dir, ".actors")), ["logs"]);
}

test("bad input is one sentence on stderr with exit code 2, and starts nothing", (t) => {
  const dir = project(t);
  writeFileSync(join(dir, "bad.yaml"), "a: 1\na: 2\n");
  const cases: [string[], string][] = [
    [["up", "--nodes", "0"], "--nodes must be a whole number from 1 to 1024, not 0"],
    [["up", "--nodes", "x"], "--nodes must be a whole number from 1 to 1024, not x"],
    [["up", "--port", "70000"], "--port must be a whole number from 1 to 65535, not 70000"],
    [["up", "--nods", "2"], "unknown option '--nods' (did you mean --nodes?)"],
    [["upp"], "unknown command 'upp' (did you mean up?)"],
    [["up", "-f", "none.yaml"], "cannot read none.yaml: there is no such file"],
    [["up", "-f", "bad.yaml"], "bad.yaml:2:1: not valid YAML: Map keys must be unique"],
    [["up", "--set", "wrong=true"], "wrong must not be set"],
    [["up", "-d", "--set", "wrong=true"], "wrong must not be set"],
    [["up", "--resume", "latest"], "the recipe count cannot go on with a run"],
    [["up", "--idle", "--resume", "latest"], "--idle runs nothing, so there is nothing to --resume"],
  ];
  for (const [args, sentence] of cases) {
    const { status, stdout, stderr } = run(dir, ...args);
    assert.equal(stderr.split("\n")[0], `actors: ${sentence}`, args.join(" "));
    assert.ok(!/^\s+at /m.test(stderr), "a stack without --debug");
    assert.equal(stdout, "");
    assert.equal(status, 2, args.join(" "));
  }
  assert.ok(!existsSync(join(dir, ".actors")));
  assert.match(run(dir, "up", "--debug", "--set", "wrong=true").stderr, /^\s+at /m);
  const { event, code, message } = JSON.parse(run(dir, "up", "--json", "--nodes", "0").stdout);
  assert.deepEqual(
    [event, code, message],
    ["error", "INVALID_ARGUMENT", "--nodes must be a whole number from 1 to 1024, not 0"],
  );
});

test("bad input is told before long preparations, and what they lack in whole", (t) => {
  const dir = project(t);
  writeFileSync(join(dir, "no-compiler"), "");
  assert.match(run(dir, "up", "--set", "wrong=true").stderr, /^actors: wrong must not be set\n/);
  const { status, stderr } = run(dir, "up");
  assert.deepEqual([status, stderr], [1, "actors: nothing compiles:\n  no g++\n  Get g++.\n"]);
  for (const args of [[], ["--help"], ["ps"], ["down"], ["up", "--help"], ["nonsense"]]) {
    assert.ok(!run(dir, ...args).stderr.includes("nothing compiles"), args.join(" "));
  }
  assert.ok(!existsSync(join(dir, ".actors")));
});

test("a folder that cannot hold the cluster's files is named", (t) => {
  const dir = project(t);
  const state = join(dir, ".actors");
  writeFileSync(state, "a file");
  const sentence = `actors: cannot write to the folder ${state}: file already exists\n  Run \`actors\` in a folder you may write to.\n`;
  for (const args of [["--idle"], ["--idle", "-d"]]) {
    const { status, stderr } = run(dir, "up", ...args);
    assert.deepEqual([status, stderr], [1, sentence]);
  }
});

test("every command explains itself with examples", (t) => {
  const dir = project(t);
  for (const command of ["up", "down", "ps", "top", "inspect", "objects", "metrics", "logs", "doctor"]) {
    const { status, stdout } = run(dir, command, "--help");
    assert.match(
      stdout,
      new RegExp(`^Usage: actors ${command}.*--json.*Examples:\n  \\$ actors ${command}`, "s"),
      command,
    );
    assert.equal(status, 0);
  }
  assert.match(run(dir, "--version").stdout, /^\d+\.\d+\.\d+\n$/);
});

test("a job runs to its end: one line a step, its summary last, nothing left, exit code by its word", async (t) => {
  const dir = project(t);
  const { status, stdout } = run(dir, "up", "--nodes", "2", "--seed", "7");
  assert.equal(status, 0);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/\([\d.]+ m?s\)|:\d+/g, "#"));
  assert.deepEqual(lines, [
    "nats-server on nats://127.0.0.1# #",
    "2 node agents #",
    "count · 2 nodes · seed 7",
    "counting",
    "count 1/3   half 0.5",
    "count 2/3   half 1",
    "count 3/3   half 1.5",
    "counted with seed 7",
  ]);
  assert.equal(run(dir, "up", "--nodes", "1", "--set", "bad=true").status, 1);
  const failed = run(dir, "up", "--nodes", "1", "--set", "fail=true");
  assert.equal(failed.status, 1);
  assert.equal(failed.stderr, "actors: the job broke\n");
  assert.deepEqual(readdirSync(join(dir, ".actors")), ["logs"]);
});

test("with --json each thing that happens is one object", (t) => {
  const { stdout } = run(project(t), "up", "--json", "--nodes", "1");
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    events.map(({ event }) => event),
    ["step", "step", "up", "line", "progress", "progress", "progress", "end"],
  );
  assert.ok(!stdout.includes("token"));
  const { ok, stopped, summary } = events.at(-1);
  assert.deepEqual([ok, stopped, summary], [true, null, ["counted with seed null"]]);
});

test("Ctrl-C lets the job end and leaves nothing behind", async (t) => {
  const dir = project(t);
  const { child, said } = await start(t, dir, "count 3/3", "--nodes", "2", "--set", "wait=true");
  const cluster = clusterOf(dir);
  assert.equal(cluster.pids.length, 3);
  child.kill("SIGINT");
  assert.equal(await exitOf(child), 130);
  assert.match(said.text, /stopping: Ctrl-C\ncounted with seed null\n$/);
  await assertNothingLeft(dir, cluster);
});

test("a second Ctrl-C does not wait for a stubborn job, and leaves nothing behind either", async (t) => {
  const dir = project(t);
  const { child, said } = await start(
    t,
    dir,
    "count 3/3",
    "--nodes",
    "2",
    "--set",
    "wait=true",
    "--set",
    "stubborn=true",
  );
  const cluster = clusterOf(dir);
  child.kill("SIGINT");
  for (const until = Date.now() + limitMs; !said.text.includes("stopping"); await pause(10))
    assert.ok(Date.now() < until);
  child.kill("SIGINT");
  assert.equal(await exitOf(child), 130);
  await assertNothingLeft(dir, cluster);
});

test("a detached cluster is listed, logged, refused a second time, and taken down", async (t) => {
  const dir = project(t);
  t.after(() => run(dir, "down"));
  const up = run(dir, "up", "-d", "--idle", "--nodes", "2");
  assert.equal(up.status, 0, up.stderr);
  assert.match(
    up.stdout,
    /^up in the background \(process \d+\)\nwatch it: actors logs -f up\nstop it: {2}actors down\n$/,
  );
  const cluster = clusterOf(dir);
  const { nodes, actors } = JSON.parse(run(dir, "ps", "--json").stdout);
  assert.deepEqual(
    nodes.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`),
    ["n1 up", "n2 up"],
  );
  assert.deepEqual(actors, []);
  assert.match(run(dir, "ps").stdout, /^NODE +STATE +HOST +PID +CPUS +GPUS +ACTORS\nn1 +up /);
  const second = run(dir, "up");
  assert.equal(second.status, 1);
  assert.equal(
    second.stderr,
    `actors: a cluster already runs in this folder (process ${cluster.pid})\n  \`actors down\` stops it; \`actors ps\` shows it.\n`,
  );
  assert.match(run(dir, "logs", "n1").stdout, /^\d\d:\d\d:\d\d\.\d{3} n1 info {2}node is up/m);
  assert.match(run(dir, "logs", "n7").stderr, /^actors: there is no log of n7: did you mean n1\?\n/);
  assert.equal(run(dir, "down").stdout, "the cluster is down\n");
  await assertNothingLeft(dir, cluster);
  assert.equal(run(dir, "down").stdout, "no cluster runs here\n");
  assert.equal(run(dir, "ps").status, 1);
});

test("ps --why shows what nodes offer by the file, and what an actor waits for", async (t) => {
  const dir = project(t);
  t.after(() => run(dir, "down"));
  writeFileSync(
    join(dir, "actors.yaml"),
    "cluster: { nodes: 2, slots: { n2: { resources: { tape: 1 }, labels: { disk: ssd } } } }\n",
  );
  assert.equal(run(dir, "up", "-d", "--idle").status, 0);
  await using system = await joinCluster({ cluster: join(dir, ".actors", "cluster.json") });
  const tape = { resources: { tape: 1 }, labels: { disk: "ssd" } };
  await system.spawn(probe, tape);
  assert.match(run(dir, "ps", "--why").stdout, /^n2 .* tape=1 +disk=ssd\n(.*\n)*no actor waits for room\n$/m);
  const waiting = system.spawn(probe, { name: "second", ...tape }).catch((error: unknown) => error);
  await until("an actor that waits", () => system.ps().actors.some((a) => a.waiting !== ""));
  assert.match(run(dir, "ps").stdout, /\n1 waits for room; `actors ps --why` tells what is missing\n$/);
  const lacks = "n1 lacks label disk=ssd, tape 1 \\(0 free\\); n2 lacks tape 1 \\(0 free\\)";
  assert.match(run(dir, "ps", "--why").stdout, new RegExp(`\\nsecond \\(\\w+\\) waits for room: ${lacks}\\n$`));
  assert.equal(run(dir, "down").stdout, "the cluster is down\n");
  await system.close(); // else the spawn waits for another coordinator until its deadline
  assert.ok((await waiting) instanceof Error);
});

test("logs -f goes on until the cluster is gone", async (t) => {
  const dir = project(t);
  t.after(() => run(dir, "down"));
  run(dir, "up", "-d", "--idle", "--nodes", "1");
  const follower = spawn(process.execPath, [join(dir, "program.mjs"), "logs", "-f", "up"], { cwd: dir });
  let text = "";
  follower.stdout.on("data", (chunk) => (text += chunk));
  run(dir, "down");
  assert.equal(await exitOf(follower), 0);
  assert.match(text, /up {2}idle · 1 node\n.*up {2}stopping: SIGTERM\n$/s);
});

test("down clears up after a killed `up`", async (t) => {
  const dir = project(t);
  const { child } = await start(t, dir, "count 3/3", "--nodes", "1", "--set", "wait=true");
  const cluster = clusterOf(dir);
  child.kill("SIGKILL");
  await exitOf(child);
  assert.equal(run(dir, "down").stdout, "removed what a killed cluster had left\n");
  await assertNothingLeft(dir, cluster);
});

test("a taken port is refused by number and holder with exit code 1", async (t) => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  t.after(() => holder.close());
  const { port } = holder.address() as { port: number };
  const dir = project(t);
  const child = spawn(process.execPath, [join(dir, "program.mjs"), "up", "--port", String(port)], { cwd: dir });
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  assert.equal(await exitOf(child), 1);
  assert.match(
    stderr,
    new RegExp(`^actors: port ${port} is taken by .+ \\(process ${process.pid}\\)\n  Choose another with --port`),
  );
});
