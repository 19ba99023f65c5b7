import assert from "node:assert/strict";
import test from "node:test";
import { LockManager } from "../src/locks.js";

function fakeClock() {
  const timers = new Map();
  let ids = 0;
  const clock = {
    at: 0,
    timers,
    now: () => clock.at,
    setTimeout: (fn, ms) => {
      timers.set(++ids, { fn, at: clock.at + ms });
      return ids;
    },
    clearTimeout: (id) => timers.delete(id),
    async to(ms) {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        const due = [...timers].filter(([, timer]) => timer.at <= ms).sort(([, a], [, b]) => a.at - b.at)[0];
        if (!due) break;
        timers.delete(due[0]);
        clock.at = Math.max(clock.at, due[1].at);
        due[1].fn();
      }
      clock.at = ms;
    },
  };
  return clock;
}

function setUp() {
  const clock = fakeClock();
  const locks = new LockManager(clock);
  const got = [];
  const ask = (who, ttlMs, waitMs) =>
    locks.acquire("a", { ttlMs, waitMs }).then((lease) => {
      got.push(lease ? who : `${who}:null`);
      return lease;
    });
  return { clock, locks, got, ask };
}

test("a lease that ran out is worth nothing", async () => {
  const { clock, locks } = setUp();
  const old = await locks.acquire("a", { ttlMs: 10 });
  await clock.to(10);
  assert.equal(locks.held("a"), false);
  const next = await locks.acquire("a", { ttlMs: 100 });
  assert.ok(next);
  assert.deepEqual([old.release(), old.renew(), locks.held("a")], [false, false, true]);
  assert.equal(await locks.acquire("a", { ttlMs: 1 }), null);
  assert.deepEqual([next.release(), next.release(), locks.held("a")], [true, false, false]);
});

test("a renewed lease lasts from then on", async () => {
  const { clock, locks } = setUp();
  const lease = await locks.acquire("a", { ttlMs: 10 });
  await clock.to(8);
  assert.equal(lease.renew(), true);
  await clock.to(17);
  assert.equal(locks.held("a"), true);
  assert.equal(lease.renew(100), true);
  await clock.to(100);
  assert.equal(locks.held("a"), true);
  await clock.to(117);
  assert.equal(locks.held("a"), false);
});

test("first come, first served", async () => {
  const { clock, got, ask } = setUp();
  const first = await ask("a", 100, 0);
  const [second] = [ask("b", 100, 1_000), ask("c", 100, 1_000)];
  first.release();
  await clock.to(1);
  assert.deepEqual(got, ["a", "b"]);
  (await second).release();
  await clock.to(2);
  assert.deepEqual(got, ["a", "b", "c"]);
});

test("who gave up gets nothing", async () => {
  const { clock, got, locks, ask } = setUp();
  const first = await ask("a", 100, 0);
  ask("b", 100, 10);
  ask("c", 100, 1_000);
  await clock.to(20);
  assert.deepEqual(got, ["a", "b:null"]);
  first.release();
  await clock.to(21);
  assert.deepEqual(got, ["a", "b:null", "c"]);
  assert.equal(locks.held("a"), true);
});

test("the end of a lease wakes who waits", async () => {
  const { clock, got, ask } = setUp();
  await ask("a", 50, 0);
  ask("b", 30, 1_000);
  ask("c", 30, 1_000);
  await clock.to(49);
  assert.deepEqual(got, ["a"]);
  await clock.to(50);
  assert.deepEqual(got, ["a", "b"]);
  await clock.to(80);
  assert.deepEqual(got, ["a", "b", "c"]);
});

test("a renewal moves the end that others wait for", async () => {
  const { clock, got, ask } = setUp();
  const lease = await ask("a", 50, 0);
  ask("b", 30, 1_000);
  await clock.to(40);
  lease.renew();
  await clock.to(89);
  assert.deepEqual(got, ["a"]);
  await clock.to(90);
  assert.deepEqual(got, ["a", "b"]);
});

test("no timer is left when all is over", async () => {
  const { clock, ask } = setUp();
  const lease = await ask("a", 50, 0);
  const waiting = ask("b", 30, 1_000);
  lease.release();
  (await waiting).release();
  assert.equal(clock.timers.size, 0);
});
