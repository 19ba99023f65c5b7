import assert from "node:assert/strict";
import test from "node:test";
import { LockManager } from "../src/locks.js";

test("one at a time", async () => {
  const locks = new LockManager();
  const lease = await locks.acquire("a", { ttlMs: 60_000 });
  assert.equal(await locks.acquire("a", { ttlMs: 10 }), null);
  assert.ok(await locks.acquire("b", { ttlMs: 10 }));
  lease.release();
  const again = await locks.acquire("a", { ttlMs: 10 });
  assert.ok(again);
  again.release();
});
