import assert from "node:assert/strict";
import { test } from "node:test";
import { actors } from "#protos";
import { ActorsError } from "../core/errors.js";
import { withCrash } from "./restarts.js";

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
