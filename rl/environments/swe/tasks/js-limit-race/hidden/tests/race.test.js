import assert from "node:assert/strict";
import test from "node:test";
import { limit } from "../src/limit.js";

const tick = () => new Promise((resolve) => setImmediate(resolve));

test("a rejection gives its slot back", { timeout: 2_000 }, async () => {
  const run = limit(1);
  await assert.rejects(run(async () => Promise.reject(new Error("no"))), /no/);
  assert.equal(await run(async () => 1), 1);
});

test("a synchronous throw is a rejection and gives its slot back", { timeout: 2_000 }, async () => {
  const run = limit(1);
  const failing = run(() => {
    throw new Error("at once");
  });
  const next = run(() => 2);
  await assert.rejects(failing, /at once/);
  assert.equal(await next, 2);
});

test("never more than allowed, whoever comes at whatever moment", { timeout: 2_000 }, async () => {
  const run = limit(2);
  let now = 0;
  let most = 0;
  const job = async () => {
    most = Math.max(most, ++now);
    await tick();
    now--;
  };
  const all = [];
  // Comes at every moment around the end of a job.
  const intruder = async () => {
    for (let i = 0; i < 12; i++) {
      await Promise.resolve();
      all.push(run(job));
    }
  };
  const first = run(async () => {
    await job();
    intruder();
  });
  all.push(run(job), run(job), run(job));
  await first;
  await tick();
  await Promise.all(all);
  assert.equal(most, 2);
});

test("first come, first served, also right after a job ended", { timeout: 2_000 }, async () => {
  const run = limit(1);
  const order = [];
  const note = (name) => run(async () => void order.push(name));
  const late = [];
  const first = run(async () => {
    (async () => {
      for (let i = 0; i < 12; i++) {
        await Promise.resolve();
        late.push(note(`late ${i}`));
      }
    })();
  });
  await Promise.all([first, note("b"), note("c")]);
  await tick();
  await Promise.all(late);
  assert.deepEqual(order.slice(0, 3), ["b", "c", "late 0"]);
  assert.equal(order.length, 14);
});

test("a free slot is used at once", async () => {
  const run = limit(2);
  let started = false;
  run(async () => {
    started = true;
  });
  await Promise.resolve();
  assert.ok(started);
});
