import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { actors } from "#protos";
import { MemoryBus } from "../transport/bus.js";
import { Vigil } from "./heartbeats.js";
import { heartbeatTopic } from "./protocol.js";
import { longestShared, Quorum } from "./quorum.js";

/** Three servers, on which each heartbeat is one that was sent when it is heard. */
function listening() {
  const clock = { now: 10_000 };
  const quorum = new Quorum(3);
  const buses = [0, 1, 2].map(() => new MemoryBus());
  for (const [i, bus] of buses.entries()) quorum.add(i, new Vigil(bus, "mine", () => clock.now));
  const say = async (endpoint: string, ...servers: number[]) => {
    const message = actors.v1.Heartbeat.encode({ endpoint, sentAt: clock.now }).finish();
    for (const i of servers) buses[i]!.publish(heartbeatTopic, message);
    await Promise.resolve();
  };
  return { clock, quorum, say };
}

test("a node is proven by a majority of the servers, and by no less", async () => {
  const { clock, quorum, say } = listening();
  const proofs: number[] = [];
  quorum.onProof((sentAt) => proofs.push(sentAt));
  await say("mine", 0);
  assert.deepEqual(proofs, []);
  clock.now += 100;
  await say("mine", 2);
  assert.deepEqual(proofs, [10_000]);
  clock.now += 100;
  await say("mine", 0, 1, 2);
  assert.equal(proofs.at(-1), 10_200);
});

test("a server that is away for all counts for a node as one that hears it", () => {
  const { quorum } = listening();
  const proofs: number[] = [];
  quorum.onProof((sentAt) => proofs.push(sentAt));
  quorum.proven(0, 500);
  quorum.proven(1, 400);
  quorum.proven(1, 300);
  assert.deepEqual(proofs, [400]);
});

test("one is silent once a majority heard nothing of it, whichever of the servers is lost", async () => {
  const { clock, quorum, say } = listening();
  await say("mine", 0, 1, 2);
  clock.now += 1_000;
  await say("other", 0, 1, 2);
  clock.now += 2_000;
  await say("mine", 0);
  assert.ok(quorum.silence("other") <= 0, "one server's word is not enough");
  await say("mine", 1);
  assert.equal(quorum.silence("other"), 2_000);
  await say("other", 0, 1);
  assert.ok(quorum.silence("other") <= 0);
});

test("what two servers say of two different times is no silence", async () => {
  const { clock, quorum, say } = listening();
  await say("mine", 0, 1, 2);
  clock.now += 3_000;
  await say("mine", 0);
  await say("other", 0, 1, 2);
  clock.now += 3_000;
  await say("mine", 1);
  assert.ok(quorum.silence("other") <= 0);
});

test("no node that a majority proves alive is ever silent for a majority", () => {
  // Each server hears some of the beats of a node and of a coordinator, one of each a step.
  const heard = fc.array(fc.tuple(...[0, 1, 2].map(() => fc.tuple(fc.boolean(), fc.boolean()))), {
    minLength: 4,
    maxLength: 40,
  });
  fc.assert(
    fc.property(heard, (steps) => {
      const spans = [0, 1, 2].map(() => ({ from: 0, until: 0 }));
      const proofs = [0, 0, 0];
      for (const [at, servers] of steps.entries()) {
        for (const [i, [node, coordinator]] of servers.entries()) {
          if (node) {
            proofs[i] = at;
            spans[i]!.from = at;
          }
          if (coordinator) spans[i]!.until = at;
        }
        const provenAt = [...proofs].sort((a, b) => b - a)[1]!;
        assert.ok(longestShared(spans, 2) <= at - provenAt);
      }
    }),
  );
});
