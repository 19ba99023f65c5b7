import assert from "node:assert/strict";
import { test } from "node:test";
import { isActorsError } from "../core/errors.js";
import { localSystem } from "./local.js";
import { probe } from "./testing-actors.js";

test("an actor tells of its mailbox, its calls in flight and its last errors", async (t) => {
  const system = await localSystem({ nodes: 2 });
  t.after(() => system.close());
  const p = await system.spawn(probe, { name: "p", cpus: 0.5, node: "n2", mailbox: 3, hosting: "thread" });
  await p.add(1);
  const held = p.hold.with({ timeoutMs: 60_000 })();
  const queued = [p.add(1), p.add(1), p.where()];
  const over = p.add.with({ timeoutMs: 50 })(1);
  await assert.rejects(over, (error) => isActorsError(error, "DEADLINE_EXCEEDED"));
  await p.entered();

  const { live, process: at, note, needs, wantNode, lastFailure, ownedBy } = await system.introspection().actor(p.id);
  assert.deepEqual([note, needs, wantNode, lastFailure], [null, { cpus: 0.5 }, "n2", null]);
  assert.match(ownedBy, /^client k/);
  assert.ok(live && at);
  assert.equal(at.pid, process.pid);
  assert.ok(at.thread > 0, "the thread that hosts it answers, not its process");
  const { depth, limit, callersHeld, handled, failed, refused, inFlight, queued: waiting, running } = live;
  assert.deepEqual([depth, limit, callersHeld, handled, failed, refused, inFlight], [3, 3, 1, 2, 0, 0, 1]);
  assert.deepEqual(waiting, { add: 2, where: 1 });
  assert.equal(running.length, 1);
  const { method, from, ageMs, leftMs } = running[0]!;
  assert.deepEqual([method, from], ["hold", ownedBy]);
  assert.ok(ageMs >= 0 && leftMs! > 0 && ageMs + leftMs! <= 60_000 + 50, `${ageMs} ${leftMs}`);
  assert.ok(live.medianMs !== null && live.medianMs >= 0);

  await p.open();
  await Promise.all([held, ...queued]);
  await assert.rejects(p.fail("broken by hand"));
  const after = (await system.introspection().actor(p.id)).live!;
  assert.deepEqual([after.depth, after.inFlight, after.handled, after.failed], [0, 0, 8, 1]);
  assert.deepEqual(
    after.errors.map((e) => [e.method, e.code, e.message]),
    [["fail", "USER_ERROR", "broken by hand"]],
  );
});

test("of an actor that does not run the record remains, and a sentence says why there is no more", async (t) => {
  const system = await localSystem();
  t.after(() => system.close());
  const p = await system.spawn(probe);
  await system.stop(p);
  const { live, note } = await system.introspection().actor(p.id);
  assert.deepEqual([live, note], [null, "it is stopped"]);
  await assert.rejects(system.introspection().actor("a0"), (error) => isActorsError(error, "NOT_FOUND"));
});
