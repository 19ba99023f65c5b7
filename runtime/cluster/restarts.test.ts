import assert from "node:assert/strict";
import { test } from "node:test";
import { actors } from "#protos";
import { ActorsError } from "../core/errors.js";
import type { ActorId } from "../core/ids.js";
import { RestartBudget, withCrash } from "./restarts.js";

test("a record keeps its newest five crashes, cut to a size, and the last one whole", () => {
  let record = new actors.v1.ActorRecord({ id: "a1", node: "n1" });
  for (let epoch = 1; epoch <= 7; epoch++) {
    const error = new ActorsError("ACTOR_DIED", `${epoch} ${"x".repeat(2_000)}`, { details: { exitCode: epoch } });
    record = new actors.v1.ActorRecord({
      ...record,
      epoch,
      ...withCrash(new actors.v1.ActorRecord({ ...record, epoch }), error),
    });
  }
  assert.deepEqual(
    record.crashes.map((c) => c.epoch),
    [3, 4, 5, 6, 7],
  );
  for (const { error } of record.crashes) assert.equal(error!.length, 500);
  assert.match(record.failure!.message!, /^7 x{2000}$/);
});

test("the first restart in a window comes at once, later ones after twice the time", () => {
  const budget = new RestartBudget();
  const restart = { max: 3, withinMs: 1_000, backoffMs: 100 };
  const id = "a1" as ActorId;
  assert.equal(budget.next(id, restart, 0), 0);
  for (const [at, delay] of [
    [1, 100],
    [2, 200],
  ] as const) {
    const ms = budget.next(id, restart, at)!;
    assert.ok(ms >= delay * 0.75 && ms <= delay * 1.25, `${ms}`);
  }
  assert.equal(budget.next(id, restart, 3), undefined);
  assert.equal(budget.next(id, restart, 2_000), 0);
});
