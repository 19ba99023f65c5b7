import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { SandboxPool } from "./pool.js";
import { chooseBackend } from "./probe.js";
import { RemoteBackend } from "./remote.js";
import { apiKey, type Served, serveForTest } from "./server/testing.js";
import { defaultLimits } from "./session.js";
import { log, until } from "./testing.js";

const folder = mkdtempSync(join(tmpdir(), "remote-test-"));
const apiKeyFile = join(folder, "key");
const serverOf = (url: string) => ({ url, apiKeyFile });
let served: Served;
before(async () => {
  writeFileSync(apiKeyFile, `${apiKey}\n`, { mode: 0o600 });
  served = await serveForTest({}, 4);
});
after(async () => {
  await served[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

test("a remote sandbox does what one of this machine does: commands, shells, files, streams, forks, judgement", async () => {
  const { backend, guarantees } = await chooseBackend(
    { backend: "remote", server: serverOf(served.url) },
    defaultLimits,
    log,
  );
  assert.ok(guarantees.proven.includes("memory"), "what the server proved");
  const pool = new SandboxPool({ backend, limits: defaultLimits, size: 3, log });
  await pool.start();
  const sandbox = await pool.acquire({ files: [{ path: "in/f", content: "x" }] });
  const ran = await sandbox.exec('cat in/f; printf "\\377\\0" >&2; exit 3');
  assert.deepEqual([ran.exitCode, String(ran.stdout), [...ran.stderr]], [3, "x", [255, 0]]);
  const shell = sandbox.shell();
  await shell.run("cd in && export A=1");
  assert.equal(String((await shell.run("echo $A; pwd -P | tail -c 4")).stdout), "1\n/in\n");
  const streamed: string[] = [];
  for await (const { stdout } of sandbox.stream("echo one; sleep 0.01; echo two"))
    streamed.push(String(Buffer.from(stdout)));
  assert.equal(streamed.join(""), "one\ntwo\n");
  const signal = AbortSignal.timeout(50);
  await assert.rejects(sandbox.exec("echo $$ > pid; exec sleep 100", { signal }));
  await until(async () => (await sandbox.exec("kill -0 $(cat pid)")).exitCode !== 0, "the end of the aborted command");
  await assert.rejects(sandbox.read("../etc/passwd"), { name: "ActorsError" });
  await using fork = await sandbox.fork();
  assert.equal(String((await fork.shell().run("echo $A; cat f")).stdout), "1\nx");
  const judged = await sandbox.evaluate({ files: [{ path: "t", content: "7" }], command: "cat t > r", read: ["r"] });
  assert.equal(String(judged.files["r"]), "7");
  await fork.release();
  await sandbox.release();
  await pool.close();
  await until(() => served.pool.stats().leased === 0, "the return of the sandboxes to the server");
});

test("a wrong key, a missing one, and a server that does not answer are told apart", async () => {
  const wrong = join(folder, "wrong");
  writeFileSync(wrong, "not-the-key-of-the-server\n");
  const start = (server: { url: string; apiKeyFile: string } | null) => new RemoteBackend(server).start(defaultLimits);
  await assert.rejects(start({ url: served.url, apiKeyFile: wrong }), { code: "PERMISSION_DENIED", retryable: false });
  await assert.rejects(start({ url: served.url, apiKeyFile: join(folder, "none") }), {
    code: "INVALID_ARGUMENT",
    message: /none: ENOENT/,
  });
  await assert.rejects(start(serverOf("http://127.0.0.1:1")), {
    code: "UNAVAILABLE",
    retryable: true,
    message: /http:\/\/127\.0\.0\.1:1 does not answer/,
  });
  await assert.rejects(start(null), { code: "INVALID_ARGUMENT", hint: /sandbox_server/ });
});

test("a broken connection is a lost sandbox on both sides", async () => {
  const backend = new RemoteBackend(serverOf(served.url));
  const sandbox = await backend.start(defaultLimits);
  const running = sandbox.run([{ exec: { argv: ["sleep", "100"], timeoutMs: 600_000 } }]);
  await until(() => served.pool.stats().leased === 1, "the lease");
  sandbox.kill(); // as when the owner dies: its socket closes
  await assert.rejects(running, { code: "UNAVAILABLE", retryable: true });
  await until(() => served.pool.stats().leased === 0, "the return of the sandbox");
});

test("`actors sandbox serve` killed in the middle is a retryable failure; ended by Ctrl-C it leaves nothing", async () => {
  const program = fileURLToPath(new URL("../main.js", import.meta.url));
  const serve = async () => {
    const args = [program, "sandbox", "serve", "--api-key-file", apiKeyFile, "--port", "0", "--size", "1", "--json"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    return { child, url: (JSON.parse(line as string) as { url: string }).url };
  };
  const one = await serve();
  const command = readFileSync(`/proc/${one.child.pid}/cmdline`, "utf8");
  assert.ok(!command.includes(apiKey));
  const sandbox = await new RemoteBackend(serverOf(one.url)).start(defaultLimits);
  const running = sandbox.run([{ exec: { argv: ["sleep", "100"], timeoutMs: 600_000 } }]);
  const gone = once(one.child, "exit");
  one.child.kill("SIGKILL");
  await assert.rejects(running, { code: "UNAVAILABLE", retryable: true, message: /connection to its server/ });
  await gone;

  const two = await serve();
  const held = readdirSync(`/proc/${two.child.pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${two.child.pid}/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean),
  );
  assert.ok(held.length > 0);
  two.child.kill("SIGINT");
  const [code] = await once(two.child, "exit");
  assert.equal(code, 0);
  await until(() => held.every((pid) => !readdirSync("/proc").includes(pid)), "the end of its sandboxes");
});
