import assert from "node:assert/strict";
import test from "node:test";
import { cached } from "../src/cached.js";

function backend() {
  const loads = [];
  const load = (key) => new Promise((resolve, reject) => loads.push({ key, resolve, reject }));
  return { loads, load };
}

test("callers at once share a load", async () => {
  const { loads, load } = backend();
  const get = cached(load, { ttlMs: 10, now: () => 0 });
  const all = Promise.all([get({ id: 1 }), get({ id: 1 }), get({ id: 1 })]);
  await null;
  assert.equal(loads.length, 1);
  loads[0].resolve("x");
  assert.deepEqual(await all, ["x", "x", "x"]);
});

test("a failure reaches all who wait, and is not kept", async () => {
  const { loads, load } = backend();
  const get = cached(load, { ttlMs: 10, now: () => 0 });
  const waiting = Promise.allSettled([get({ id: 1 }), get({ id: 1 })]);
  loads[0].reject(new Error("down"));
  assert.deepEqual((await waiting).map(({ status }) => status), ["rejected", "rejected"]);
  const again = get({ id: 1 });
  assert.equal(loads.length, 2);
  loads[1].resolve("up");
  assert.equal(await again, "up");
});

test("a load that throws at once is a rejection, and is not kept", async () => {
  let fails = true;
  const get = cached(
    () => {
      if (fails) throw new Error("sync");
      return 1;
    },
    { ttlMs: 10, now: () => 0 },
  );
  await assert.rejects(get({ id: 1 }), /sync/);
  fails = false;
  assert.equal(await get({ id: 1 }), 1);
});

test("what was invalidated while it loaded is not kept", async () => {
  const { loads, load } = backend();
  const get = cached(load, { ttlMs: 10, now: () => 0 });
  const old = get({ id: 1 });
  get.invalidate({ id: 1 });
  const fresh = get({ id: 1 });
  assert.equal(loads.length, 2);
  loads[1].resolve("new");
  assert.equal(await fresh, "new");
  loads[0].resolve("old");
  assert.equal(await old, "old");
  assert.equal(await get({ id: 1 }), "new");
});

test("an old load that fails late takes nothing away", async () => {
  const { loads, load } = backend();
  const get = cached(load, { ttlMs: 10, now: () => 0 });
  const old = get({ id: 1 });
  get.invalidate({ id: 1 });
  const fresh = get({ id: 1 });
  loads[1].resolve("new");
  await fresh;
  loads[0].reject(new Error("late"));
  await assert.rejects(old, /late/);
  assert.equal(await get({ id: 1 }), "new");
  assert.equal(loads.length, 2);
});

test("keys", async () => {
  const { loads, load } = backend();
  const get = cached(load, { ttlMs: 10, now: () => 0 });
  get({ id: 1, lang: "de" });
  get({ lang: "de", id: 1 });
  assert.equal(loads.length, 1);
  get({ id: "1", lang: "de" });
  get({ id: 1 });
  get({ other: 1 });
  get({ id: "1:de" });
  get({ id: 1, lang: { code: "de", region: "AT" } });
  get({ lang: { region: "AT", code: "de" }, id: 1 });
  assert.equal(loads.length, 6);
});

test("the time counts from the arrival", async () => {
  let time = 0;
  const { loads, load } = backend();
  const get = cached(load, { ttlMs: 10, now: () => time });
  const first = get({ id: 1 });
  time = 8;
  loads[0].resolve("a");
  await first;
  time = 17;
  assert.equal(await get({ id: 1 }), "a");
  time = 18;
  get({ id: 1 });
  assert.equal(loads.length, 2);
});
