import assert from "node:assert/strict";
import test from "node:test";
import { computed, effect, signal } from "../src/signals.js";

test("effects follow signals", () => {
  const a = signal(1);
  const double = computed(() => a() * 2);
  const seen = [];
  effect(() => seen.push(double()));
  a.set(2);
  assert.deepEqual(seen, [2, 4]);
});
