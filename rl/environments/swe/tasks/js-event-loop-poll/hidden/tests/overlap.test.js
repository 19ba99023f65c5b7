import assert from "node:assert/strict";
import test from "node:test";
import { poll } from "../src/poll.js";

const settle = () => new Promise((resolve) => setImmediate(resolve));

function setUp(extra = {}) {
  const timers = new Map();
  const waits = [];
  let ids = 0;
  const clock = {
    setTimeout: (fn, ms) => {
      timers.set(++ids, fn);
      waits.push(ms);
      return ids;
    },
    clearTimeout: (id) => timers.delete(id),
  };
  const requests = [];
  const [values, errors] = [[], []];
  const fetchOnce = (signal) => new Promise((resolve, reject) => requests.push({ signal, resolve, reject }));
  const options = { everyMs: 10, onValue: (value) => values.push(value), onError: (error) => errors.push(error.message), clock };
  const polling = poll(fetchOnce, { ...options, ...extra });
  const fire = async () => {
    const [[id, fn]] = timers;
    timers.delete(id);
    fn();
    await settle();
  };
  const answer = async (value) => {
    requests.at(-1).resolve(value);
    await settle();
  };
  const fail = async (message) => {
    requests.at(-1).reject(new Error(message));
    await settle();
  };
  return { polling, timers, waits, requests, values, errors, fire, answer, fail };
}

test("it waits for the answer before it waits for the time", async () => {
  const { timers, requests, values, answer, fire } = setUp();
  await settle();
  assert.deepEqual([requests.length, timers.size], [1, 0]);
  await answer("a");
  assert.deepEqual([values, timers.size], [["a"], 1]);
  await fire();
  assert.deepEqual([requests.length, timers.size], [2, 0]);
});

test("errors are told, and the wait doubles", async () => {
  const { waits, errors, answer, fail, fire } = setUp();
  for (let i = 0; i < 5; i++) {
    await fail(`no ${i}`);
    await fire();
  }
  await answer("x");
  await fire();
  await fail("again");
  assert.deepEqual(waits, [20, 40, 80, 80, 80, 10, 20]);
  assert.equal(errors.length, 6);
});

test("stop ends the wait", async () => {
  const { polling, timers, answer } = setUp();
  await answer("a");
  polling.stop();
  assert.equal(timers.size, 0);
});

test("stop ignores what is on its way, and aborts it", async () => {
  for (const how of ["answer", "fail"]) {
    const all = setUp();
    await settle();
    assert.equal(all.requests[0].signal.aborted, false);
    all.polling.stop();
    assert.equal(all.requests[0].signal.aborted, true);
    await all[how]("late");
    assert.deepEqual([all.values, all.errors, all.timers.size], [[], [], 0]);
  }
});

test("callbacks that throw end nothing", async () => {
  const bad = () => {
    throw new Error("callback");
  };
  const all = setUp({ onValue: bad, onError: bad });
  await all.answer("a");
  assert.deepEqual([all.timers.size, all.waits], [1, [10]]);
  await all.fire();
  await all.fail("no");
  assert.equal(all.timers.size, 1);
});

test("a fetch that throws at once is an error like others", async () => {
  const timers = [];
  const errors = [];
  const clock = { setTimeout: (fn) => timers.push(fn), clearTimeout: () => {} };
  const fetchOnce = () => {
    throw new Error("sync");
  };
  poll(fetchOnce, { everyMs: 1, onValue: () => {}, onError: (error) => errors.push(error.message), clock });
  await settle();
  assert.deepEqual([errors, timers.length], [["sync"], 1]);
});

test("a poke skips the wait, and starts no second request", async () => {
  const { polling, timers, requests, answer } = setUp();
  polling.pokeNow();
  await settle();
  assert.equal(requests.length, 1);
  await answer("a");
  polling.pokeNow();
  polling.pokeNow();
  await settle();
  assert.deepEqual([requests.length, timers.size], [2, 0]);
  polling.stop();
  polling.pokeNow();
  await settle();
  assert.equal(requests.length, 2);
});
