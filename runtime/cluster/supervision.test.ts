import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isActorsError } from "../core/errors.js";
import type { Crash } from "../directory/directory.js";
import type { ActorSystem, SystemEvent } from "../system.js";
import type { LifecycleEvent } from "../watch.js";
import { localSystem } from "./local.js";
import { heard } from "./testing.js";
import { parent, probe } from "./testing-actors.js";

const hasCode = (code: string) => (error: unknown) => isActorsError(error) && error.code === code;
const doomed = { hosting: "thread", restart: { policy: "never", escalate: true } } as const;

/** The state after the one now. */
async function next(system: ActorSystem, actor: object): Promise<LifecycleEvent> {
  const watch = system.watch(actor);
  await watch.next();
  const { value } = await watch.next();
  return value!;
}

describe("an actor in a crash loop", () => {
  it("keeps its last errors with their times, for calls and for ps", async () => {
    await using system = await localSystem();
    const since = Date.now();
    const p = await system.spawn(probe, { hosting: "thread", restart: { max: 2, backoffMs: 1 } });
    for await (const { kind } of system.watch(p)) if (kind !== "failed") p.crash.tell();
    const keeps = (crashes: Crash[]) => {
      assert.deepEqual(
        crashes.map(({ epoch, node }) => [epoch, node]),
        [1, 2, 3].map((epoch) => [epoch, "n1"]),
      );
      for (const { at, error } of crashes) {
        assert.ok(at >= since && at <= Date.now());
        assert.match(error, /^\[ACTOR_DIED\] .*exit code 7/);
      }
    };
    await assert.rejects(p.add(1), (error) => {
      assert.ok(isActorsError(error, "ACTOR_STOPPED"));
      keeps(error.details["crashes"] as Crash[]);
      return true;
    });
    keeps(system.ps().actors[0]!.crashes);
  });
});

describe("escalation", () => {
  it("ends the parent with its child's failure; what waited for the parent goes to its next incarnation", async () => {
    await using system = await localSystem();
    const p = await system.spawn(parent, { restart: { backoffMs: 1 } });
    const [child, sibling] = [await p.bear(doomed), await p.bear({})];
    const after = next(system, p);
    const held = Promise.allSettled([p.hold()]); // how it ends is the handler's
    const queued = p.epoch();
    child.crash.tell();
    const { kind, epoch, error } = await after;
    assert.deepEqual([kind, epoch], ["restarted", 2]);
    assert.match(error!.message, /its child test\.probe\(\w+\) failed for good: .*exit code 7/);
    assert.match(String(error!.cause), /exit code 7/);
    assert.equal(await queued, 2);
    await held;
    await assert.rejects(sibling.add(1), hasCode("ACTOR_STOPPED"));
  });

  it("restarts the parent once when another child fails while it is being ended", async () => {
    await using system = await localSystem();
    const restarts: string[] = [];
    system.onEvent(({ kind, subject }) => kind === "actor-restarted" && restarts.push(subject));
    const p = await system.spawn(parent, { restart: { backoffMs: 1 } });
    const [first, second] = [await p.bear(doomed), await p.bear(doomed)];
    const ends = [p, first, second].map((actor) => next(system, actor));
    p.takeAlong.tell(second);
    first.crash.tell();
    assert.deepEqual(
      (await Promise.all(ends)).map(({ kind }) => kind),
      ["restarted", "failed", "failed"],
    );
    await system.stop(p); // comes after all that was to happen to it
    assert.deepEqual(restarts, [p.id]);
  });

  it("lets the parent's own policy decide", async () => {
    await using system = await localSystem();
    const p = await system.spawn(parent, { restart: { policy: "never" } });
    const child = await p.bear(doomed);
    const after = next(system, p);
    child.crash.tell();
    const { kind, error } = await after;
    assert.equal(kind, "failed");
    await assert.rejects(p.epoch(), hasCode("ACTOR_STOPPED"));
    assert.match(String(error!.cause), /its child .+ failed for good/);
  });

  it("leaves a parent alone that did not ask for it, and a client always", async () => {
    await using system = await localSystem();
    const p = await system.spawn(parent);
    const quiet = await p.bear({ hosting: "thread", restart: { policy: "never" } });
    const own = await system.spawn(probe, doomed);
    for (const child of [quiet, own]) {
      const ended = Promise.all([next(system, child), heard(system, "actor-failed")]);
      child.crash.tell();
      const [{ kind }, { subject }] = await ended;
      assert.deepEqual([kind, subject], ["failed", child.id]);
    }
    assert.equal(await p.epoch(), 1);
    assert.equal(await (await p.bear({})).add(1), 1, "and it still serves");
  });
});

describe("a one-way message that fails", () => {
  for (const hosting of ["inline", "thread"] as const) {
    it(`is an event of the cluster, from an actor that lives ${hosting}`, async () => {
      await using system = await localSystem();
      const p = await system.spawn(probe, { hosting });
      const event = heard(system, "tell-failed");
      p.fail.tell("bad input");
      const { subject, text } = await event;
      assert.equal(subject, p.id);
      assert.match(text, /^test\.probe\(\w+\): fail\.tell failed: \[USER_ERROR\] bad input$/);
    });
  }

  it("waits while the mailbox is full, and its sender with it; a failed call is its caller's alone", async () => {
    await using system = await localSystem();
    const events: SystemEvent[] = [];
    system.onEvent((e) => events.push(e));
    const p = await system.spawn(probe, { mailbox: 1 });
    await assert.rejects(p.fail("mine"), /mine/);
    const held = p.hold();
    await p.entered();
    const queued = p.add(1);
    await p.add.tell(1); // comes back, and is held from then on
    await p.entered();
    let sent = false;
    const later = p.add.tell(1).then(() => {
      sent = true;
    });
    await p.entered();
    assert.equal(sent, false);
    await p.open();
    assert.deepEqual(await Promise.all([held, queued]), [1, 1]);
    await later;
    assert.equal(await p.add(1), 4);
    assert.equal(events.filter((e) => e.kind === "tell-failed").length, 0);
  });
});
