import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { Collective } from "./index.js";
import { failsWith, folderFor, smallModel } from "./test/helpers.js";

const index = new URL("./index.js", import.meta.url).href;
const buildScript = path.join(fileURLToPath(new URL("../..", import.meta.url)), "native", "build.mjs");

function node(script: string, env: NodeJS.ProcessEnv = {}) {
  return spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    env: { ...process.env, ...env },
    encoding: "utf8",
    timeout: 60_000,
  });
}

/** A script that keeps a learner and an engine busy until it is killed, and says so. */
const busy = `
  import { Engine, Learner } from "${index}";
  const config = ${JSON.stringify({ ...smallModel, maxSeqLen: 4000 })};
  const learner = Learner.create(config, 1);
  const file = process.env.DIR + "/w" + Math.random();
  await learner.publish(file);
  const engine = Engine.open(config, { maxSequences: 4 });
  await engine.loadWeights(file, 1);
  for (let i = 0; i < 4; i++) engine.submit({ tokens: Int32Array.of(1), maxTokens: 3900, temperature: 1, stop: [], seed: i });
  const batch = { tokens: new Int32Array(4000).fill(3), starts: Int32Array.of(0, 4000) };
  const loop = async () => { for (;;) await learner.logprobs(batch); };
  loop().catch(() => {});
  engine.run(100000).catch(() => {});
  learner.logprobs(batch).catch(() => {});`;

describe("the addon", () => {
  it("is loaded at first use only, and says how to build it when it is not there", () => {
    const script = `
      import { Learner, NativeError } from "${index}";
      try { Learner.create({}, 1) } catch (e) { console.log(e instanceof NativeError, e.code, e.message) }`;
    const { stdout } = node(script, { ACTORS_NATIVE: "/nonexistent.node" });
    assert.match(stdout, /^true NOT_BUILT native code is not built: .* run `node native\/build\.mjs`/);
  });

  it("does not keep a process alive that has nothing pending, and survives an exit while busy", (t) => {
    const env = { DIR: folderFor(t) };
    assert.equal(
      node(`import { Learner } from "${index}"; Learner.create(${JSON.stringify(smallModel)}, 1);`).status,
      0,
    );
    for (let i = 0; i < 3; i++) {
      const { status, signal, stderr } = node(`${busy}; setTimeout(() => process.exit(7), ${i * 10});`, env);
      assert.deepEqual([status, signal], [7, null], stderr);
    }
  });

  it("survives the termination of worker threads while busy", async (t) => {
    const dir = folderFor(t);
    const script = `${busy} const { parentPort } = await import("node:worker_threads"); parentPort.postMessage("busy");`;
    const file = `${dir}/worker.mjs`;
    fs.writeFileSync(file, script);
    for (let i = 0; i < 12; i++) {
      const worker = new Worker(file, { env: { ...process.env, DIR: dir } });
      await once(worker, "message");
      await worker.terminate();
    }
  });

  it("notices within its patience that a rank's process was killed", async (t) => {
    const group = `${folderFor(t)}/group`;
    const script = `
      import { Collective } from "${index}";
      const c = await Collective.join({ path: "${group}", rank: 1, world: 2, timeoutMs: 60000 });
      await c.barrier();
      process.kill(process.pid, "SIGKILL");`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
    const mine = await Collective.join({ path: group, rank: 0, world: 2, timeoutMs: 60_000 });
    t.after(() => mine.close());
    await mine.barrier();
    const started = performance.now();
    await failsWith("TIMEOUT", /rank 1 \(process \d+\) died/, () => mine.allReduce(new Float32Array(10)));
    assert.ok(performance.now() - started < 20_000);
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });

  it("costs next to no processor time while it waits for a peer", async (t) => {
    const group = `${folderFor(t)}/group`;
    const before = process.cpuUsage();
    const waiting = Collective.join({ path: group, rank: 0, world: 2, timeoutMs: 1_000 });
    await failsWith("TIMEOUT", /rank 1/, () => waiting);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 300_000, `${(user + system) / 1000} ms of a 1000 ms wait`);
  });

  it("ends a child with its parent when asked to", { skip: process.platform !== "linux" }, async () => {
    const child = `import { setParentDeathSignal } from "${index}"; console.log(setParentDeathSignal(15), process.pid); setInterval(() => {}, 1000);`;
    const parent = `
      import { spawn } from "node:child_process";
      const c = spawn(process.execPath, ["--input-type=module", "-e", process.env.CHILD], { stdio: ["ignore", "pipe", "inherit"] });
      c.stdout.once("data", (line) => { process.stdout.write(line, () => process.kill(process.pid, "SIGKILL")); });`;
    const { stdout } = node(parent, { CHILD: child });
    const [supported, pid] = stdout.trim().split(" ");
    assert.equal(supported, "true");
    const alive = () => {
      try {
        return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, "utf8"));
      } catch {
        return false;
      }
    };
    const deadline = Date.now() + 20_000;
    while (alive() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(!alive(), `process ${pid} outlived its parent`);
  });
});

describe("a process that dies with a lease", { skip: process.platform !== "linux" && "no Linux" }, () => {
  /** Gives itself `ms`, renews that `renewals` times every 100 ms, and then does `last`. */
  const leased = (t: TestContext, ms: number, renewals: number, last: string) => {
    const file = path.join(folderFor(t), "lease");
    const script = `
      import { dieWithLease, machineMs, mapFile } from "${index}";
      const page = new BigInt64Array(mapFile("${file}", 8, true));
      const grant = () => { page[0] = BigInt(Math.round((machineMs() + ${ms}) * 1e6)); };
      grant();
      dieWithLease("${file}");
      for (let i = 0; i < ${renewals}; i++) { await new Promise((r) => setTimeout(r, 100)); grant(); }
      process.stdout.write("last");
      ${last}`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => child.kill("SIGKILL"));
    return { file, child, last: once(child.stdout!, "data"), exit: once(child, "exit") };
  };
  const forever = "for (;;);";

  it("is killed when the lease is over, though JavaScript holds its thread", async (t) => {
    const { last, exit } = leased(t, 400, 0, forever);
    await last;
    assert.deepEqual(await exit, [null, "SIGKILL"]);
  });

  it("is killed while it is stopped", async (t) => {
    const { child, last, exit } = leased(t, 1_000, 0, forever);
    await last;
    child.kill("SIGSTOP");
    assert.deepEqual(await exit, [null, "SIGKILL"]);
  });

  it("lives as long as the lease is renewed", async (t) => {
    const { exit } = leased(t, 2_000, 25, "process.exit(3);");
    assert.deepEqual(await exit, [3, null]);
  });

  it("is killed at once when there is no lease any more", async (t) => {
    const file = path.join(folderFor(t), "none");
    const script = `import { dieWithLease } from "${index}"; dieWithLease("${file}"); ${forever}`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
    t.after(() => child.kill("SIGKILL"));
    assert.deepEqual(await once(child, "exit"), [null, "SIGKILL"]);
  });
});

describe("the build script", () => {
  it("says in one sentence what is missing and how to install it", () => {
    const { status, stderr } = spawnSync(process.execPath, [buildScript], {
      env: { PATH: "/nonexistent" },
      encoding: "utf8",
    });
    assert.equal(status, 1);
    assert.match(stderr, /^building native code needs a C\+\+20 compiler .* and CMake .*: .*install.*\n$/);
  });
});
