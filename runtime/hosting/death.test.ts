import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { deathOf, oomKillsSoFar } from "./death.js";

/** What a real process leaves when it ends so. */
function end(script: string, ...flags: string[]) {
  const { status, signal, stderr } = spawnSync(process.execPath, [...flags, "-e", script], { encoding: "utf8" });
  return deathOf("a", "a.log", { code: status, signal, tail: stderr.slice(-2_000), oomKills: 0 });
}

test("a full JavaScript heap is told from a crash in native code", () => {
  const full = end("const a = []; for (;;) a.push(new Array(1e4).fill(a.length))", "--max-old-space-size=16");
  assert.equal(full.rawMessage, "the process of a ended on SIGABRT: its JavaScript heap was full");
  assert.match(full.hint!, /NODE_OPTIONS=--max-old-space-size=/);
  const crash = end("console.error('before it'); process.kill(process.pid, 'SIGSEGV'); setInterval(() => {}, 1e6)");
  assert.equal(crash.rawMessage, "the process of a ended on SIGSEGV: a crash in native code");
  assert.match(crash.hint!, /^Its last lines are in a.log: before it\n.*core/i);
  assert.equal(crash.details["signal"], "SIGSEGV");
});

test("an exit code stands for itself", () => {
  const error = end("console.error('bad luck'); process.exit(7)");
  assert.equal(error.rawMessage, "the process of a ended with exit code 7");
  assert.equal(error.hint, "Its last lines are in a.log: bad luck");
});

test("a kill is laid to the kernel's lack of memory only when it killed something meanwhile", () => {
  const kill = (oomKills: number | undefined) =>
    deathOf("a", "a.log", { code: null, signal: "SIGKILL", tail: "", oomKills });
  assert.match(
    kill(2).rawMessage,
    /ended on SIGKILL: probably by the kernel for lack of memory, which killed 2 processes/,
  );
  for (const none of [0, undefined]) assert.equal(kill(none).rawMessage, "the process of a ended on SIGKILL");
  if (process.platform === "linux") assert.ok(oomKillsSoFar()! >= 0);
});
