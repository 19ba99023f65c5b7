import assert from "node:assert/strict";
import test from "node:test";
import { pause } from "../src/pause.js";
import { retry } from "../src/retry.js";

async function failing(options, errorOf = (n) => new Error(`no ${n}`)) {
  const [calls, waits] = [[], []];
  let caught;
  const work = async (attempt) => {
    calls.push(attempt);
    throw errorOf(attempt);
  };
  await retry(work, { wait: async (ms) => void waits.push(ms), ...options }).catch((error) => {
    caught = error;
  });
  return { calls, waits, caught };
}

test("as many attempts as said, and the last error", async () => {
  const { calls, caught } = await failing({ attempts: 3 });
  assert.deepEqual(calls, [1, 2, 3]);
  assert.equal(caught.message, "no 3");
  assert.deepEqual((await failing({ attempts: 1 })).waits, []);
});

test("delays double up to the longest, and none comes last", async () => {
  const { waits } = await failing({ attempts: 6, delayMs: 100, maxDelayMs: 500 });
  assert.deepEqual(waits, [100, 200, 400, 500, 500]);
});

test("what is not retryable ends it", async () => {
  const { calls, caught } = await failing({}, () => Object.assign(new Error("denied"), { retryable: false }));
  assert.deepEqual([calls, caught.message], [[1], "denied"]);
  assert.equal((await failing({}, () => Object.assign(new Error(), { retryable: true }))).calls.length, 3);
});

test("anything can be thrown", async () => {
  const { calls, caught } = await failing({ attempts: 2 }, () => undefined);
  assert.deepEqual([calls, caught], [[1, 2], undefined]);
  assert.equal((await failing({ attempts: 2 }, () => null)).calls.length, 2);
});

test("an abort ends the waiting at once, with its reason", { timeout: 2_000 }, async () => {
  const aborting = new AbortController();
  let calls = 0;
  const work = async () => {
    calls++;
    throw new Error("no");
  };
  const trying = retry(work, { delayMs: 60_000, maxDelayMs: 60_000, signal: aborting.signal });
  setImmediate(() => aborting.abort(new Error("enough")));
  await assert.rejects(trying, /enough/);
  assert.equal(calls, 1);
});

test("nothing is tried under an aborted signal", async () => {
  const signal = AbortSignal.abort(new Error("before"));
  await assert.rejects(retry(() => assert.fail("tried"), { signal }), /before/);
});

test("a pause without a signal still passes", async () => {
  await pause(1);
});
