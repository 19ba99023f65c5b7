import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fingerprint } from "./fingerprint.mjs";
import { withLock } from "./lock.mjs";
import { findNatsServer } from "./nats-server.mjs";
import { matchesLock } from "./npm.mjs";
import { root } from "./paths.mjs";

/** @param {import("node:test").TestContext} t */
function folder(t) {
  const dir = mkdtempSync(join(tmpdir(), "setup-test-"));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

test("a fingerprint changes when a file comes, goes or is written, and not otherwise", (t) => {
  const dir = folder(t);
  mkdirSync(join(dir, "src/build"), { recursive: true });
  writeFileSync(join(dir, "src/a.ts"), "1");
  const look = () => fingerprint(dir, ["src", "absent"], (path) => path.endsWith(".ts"));
  const first = look();
  assert.equal(look(), first);
  writeFileSync(join(dir, "src/notes.md"), "not wanted");
  writeFileSync(join(dir, "src/build/b.ts"), "a product, not a source");
  assert.equal(look(), first);
  utimesSync(join(dir, "src/a.ts"), 1, 1);
  const touched = look();
  assert.notEqual(touched, first);
  writeFileSync(join(dir, "src/b.ts"), "2");
  assert.notEqual(look(), touched);
  rmSync(join(dir, "src/b.ts"));
  assert.equal(look(), touched);
});

test("node_modules matches the lock when each package is there in its version, those of other platforms apart", (t) => {
  const dir = folder(t);
  mkdirSync(join(dir, "node_modules"));
  /** @param {string} file @param {object} packages */
  const write = (file, packages) => writeFileSync(join(dir, file), JSON.stringify({ packages }));
  const a = { version: "1.0.0", integrity: "sha512-a" };
  write("package-lock.json", { "": {}, "node_modules/a": a, "node_modules/win": { version: "1.0.0", optional: true } });
  assert.equal(matchesLock(dir), false, "nothing is installed");
  write("node_modules/.package-lock.json", { "node_modules/a": a });
  assert.equal(matchesLock(dir), true);
  write("node_modules/.package-lock.json", { "node_modules/a": { ...a, version: "1.0.1" } });
  assert.equal(matchesLock(dir), false);
});

test("two set-ups at once do their work one after the other", async (t) => {
  const lock = join(folder(t), "lock");
  /** @type {string[]} */
  const said = [];
  const one = (/** @type {string} */ name) =>
    withLock(
      lock,
      10_000,
      () => {},
      async () => {
        said.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        said.push(`${name} ends`);
      },
    );
  await Promise.all([one("a"), one("b")]);
  assert.deepEqual(
    said.map((text) => text.split(" ")[1]),
    ["begins", "ends", "begins", "ends"],
  );
  assert.ok(!existsSync(lock));
});

test("the lock of a living process is waited for, and that of a killed one is taken over", async (t) => {
  const lock = join(folder(t), "lock");
  const holder = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"]);
  writeFileSync(lock, String(holder.pid));
  /** @type {number | undefined} */
  let waitedFor;
  const done = withLock(
    lock,
    10_000,
    (pid) => {
      waitedFor = pid;
      holder.kill("SIGKILL");
    },
    async () => readFileSync(lock, "utf8"),
  );
  await once(holder, "exit");
  assert.equal(await done, String(process.pid));
  assert.equal(waitedFor, holder.pid);
});

test("a signal ends the commands of the set-up with all they started, and releases its lock", async (t) => {
  const dir = folder(t);
  const program = join(dir, "set-up.mjs");
  const from = (/** @type {string} */ name) => JSON.stringify(new URL(name, import.meta.url));
  writeFileSync(
    program,
    `import { interruptibly } from ${from("./interrupts.mjs")};
     import { withLock } from ${from("./lock.mjs")};
     import { run } from ${from("./run.mjs")};
     const slow = () => run("/bin/sh", ["-c", "sleep 600 & echo $! > pid; wait"], { cwd: ${JSON.stringify(dir)}, timeoutMs: 60_000 });
     interruptibly(() => withLock("lock", 1000, () => {}, slow)).catch((error) => {
       console.log(error.message);
       process.exitCode = error.exitCode;
     });`,
  );
  const child = spawn(process.execPath, [program], { cwd: dir, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  const sleeper = () => Number(existsSync(join(dir, "pid")) && readFileSync(join(dir, "pid"), "utf8"));
  while (!sleeper()) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill("SIGTERM");
  const [code] = await once(child, "close");
  assert.deepEqual([code, said], [143, "set-up was stopped by SIGTERM\n"]);
  assert.ok(!isRunning(sleeper()));
  assert.ok(!existsSync(join(dir, "lock")));
});

test("a lock held too long is given up with the name of its holder", async (t) => {
  const lock = join(folder(t), "lock");
  writeFileSync(lock, String(process.ppid));
  await assert.rejects(
    withLock(
      lock,
      0,
      () => {},
      async () => {},
    ),
    new RegExp(`process ${process.ppid}`),
  );
});

test("a nats-server named in the environment is used or refused, never replaced by another", (t) => {
  t.after(() => delete process.env.ACTORS_NATS_SERVER);
  process.env.ACTORS_NATS_SERVER = process.execPath;
  assert.equal(findNatsServer(), process.execPath);
  process.env.ACTORS_NATS_SERVER = "/no/such/file";
  assert.equal(findNatsServer(), undefined);
});

test("the command works from any folder, through a symlink, and without Node it says what to do", (t) => {
  const dir = folder(t);
  const link = join(dir, "actors");
  symlinkSync(join(root, "actors"), link);
  const help = spawnSync(link, ["doctor", "--help"], { cwd: dir, encoding: "utf8" });
  assert.match(help.stdout, /^Usage: actors doctor/);
  const bare = spawnSync("/bin/sh", [join(root, "actors"), "up"], { cwd: dir, encoding: "utf8", env: { PATH: dir } });
  assert.equal(bare.status, 1);
  assert.match(bare.stderr, /^actors: Node\.js is not on the PATH\. Install version 20 or newer/);
});

/** @param {number} pid */
function isRunning(pid) {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
