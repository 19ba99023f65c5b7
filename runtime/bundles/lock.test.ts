import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isActorsError } from "../core/errors.js";
import { withLock } from "./lock.js";
import { temporary } from "./testing.js";

const signal = new AbortController().signal;
const on = { what: "the install", timeoutMs: 10_000, signal };

test("one at a time holds it, and nothing is left of it", async (t) => {
  const dir = temporary(t);
  const path = join(dir, "it.lock");
  let inside = 0;
  let most = 0;
  const steps = Array.from({ length: 5 }, (_, i) =>
    withLock(path, on, async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
      if (i === 2) throw new Error("a step that fails");
    }),
  );
  const done = await Promise.allSettled(steps);
  assert.deepEqual(
    done.map(({ status }) => status === "fulfilled"),
    [true, true, false, true, true],
  );
  assert.equal(most, 1);
  assert.deepEqual(readdirSync(dir), []);
});

test("what a killed holder left is taken over by one of those that wait", async (t) => {
  const dir = temporary(t);
  const path = join(dir, "it.lock");
  const lock = JSON.stringify(new URL("./lock.js", import.meta.url).href);
  const program = `
    const { withLock } = await import(${lock});
    await withLock(${JSON.stringify(path)}, { what: "x", timeoutMs: 1000, signal: new AbortController().signal }, () => {
      console.log("held");
      return new Promise((resolve) => setTimeout(resolve, 60000));
    });`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  await assert.rejects(
    withLock(path, { ...on, timeoutMs: 100 }, async () => {}),
    (error) =>
      isActorsError(error, "DEADLINE_EXCEEDED") && error.message.includes(`process ${holder.pid} was still at it`),
  );
  const cancel = new AbortController();
  const cancelled = withLock(path, { ...on, signal: cancel.signal }, async () => {});
  cancel.abort();
  await assert.rejects(cancelled, /CANCELLED/);
  let inside = 0;
  let most = 0;
  const waiting = Array.from({ length: 4 }, () =>
    withLock(path, on, async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    }),
  );
  holder.kill("SIGKILL");
  await Promise.all(waiting);
  assert.equal(most, 1);
  assert.deepEqual(readdirSync(dir), []);
});

test("a pid that was given to another process meanwhile holds nothing", {
  skip: process.platform !== "linux",
}, async (t) => {
  const path = join(temporary(t), "it.lock");
  writeFileSync(path, `${process.pid} 1`);
  await withLock(path, { ...on, timeoutMs: 1_000 }, async () => {});
});
