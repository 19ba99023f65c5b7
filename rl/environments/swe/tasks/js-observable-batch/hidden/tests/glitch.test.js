import assert from "node:assert/strict";
import test from "node:test";
import { batch, computed, effect, signal } from "../src/signals.js";

test("no effect sees half of a change", () => {
  const [a, b] = [signal(1), signal(10)];
  const sum = computed(() => a() + b());
  const seen = [];
  effect(() => seen.push([a(), sum()]));
  a.set(2);
  b.set(20);
  assert.deepEqual(seen, [[1, 11], [2, 12], [2, 22]]);
});

test("a batch is one change", () => {
  const [a, b] = [signal(1), signal(2)];
  let computations = 0;
  const sum = computed(() => {
    computations++;
    return a() + b();
  });
  const seen = [];
  effect(() => seen.push(sum()));
  const result = batch(() => {
    a.set(10);
    batch(() => b.set(20));
    assert.equal(sum(), 30);
    return "done";
  });
  assert.equal(result, "done");
  assert.deepEqual([seen, computations], [[3, 30], 2]);
});

test("a value that is the same changes nothing", () => {
  const a = signal(1);
  const isBig = computed(() => a() > 10);
  let runs = 0;
  effect(() => {
    isBig();
    runs++;
  });
  a.set(1);
  a.set(2);
  assert.equal(runs, 1);
  a.set(Number.NaN);
  a.set(11);
  assert.equal(runs, 2);
  const nan = signal(Number.NaN);
  effect(() => {
    nan();
    runs++;
  });
  nan.set(Number.NaN);
  assert.equal(runs, 3);
});

test("what is no longer read does not count", () => {
  const [flag, a, b] = [signal(true), signal(1), signal(2)];
  const seen = [];
  effect(() => seen.push(flag() ? a() : b()));
  b.set(3);
  flag.set(false);
  a.set(5);
  b.set(4);
  assert.deepEqual(seen, [1, 3, 4]);
});

test("an effect can end itself while it runs", () => {
  const a = signal(0);
  let runs = 0;
  const dispose = effect(() => {
    runs++;
    if (a() === 1) dispose();
  });
  a.set(1);
  a.set(2);
  assert.equal(runs, 2);
});

test("an effect ended by another one does not run", () => {
  const a = signal(0);
  let runs = 0;
  let dispose = () => {};
  effect(() => {
    if (a() > 0) dispose();
  });
  dispose = effect(() => {
    a();
    runs++;
  });
  a.set(1);
  assert.equal(runs, 1);
});

test("one that throws keeps nobody from running", () => {
  const a = signal(0);
  const seen = [];
  effect(() => {
    if (a() === 1) throw new Error("first");
  });
  effect(() => seen.push(a()));
  assert.throws(() => a.set(1), /first/);
  a.set(2);
  assert.deepEqual(seen, [0, 1, 2]);
});

test("a computed value nobody watches is still right", () => {
  const a = signal(1);
  const twice = computed(() => a() * 2);
  const more = computed(() => twice() + 1);
  a.set(5);
  assert.equal(more(), 11);
});
