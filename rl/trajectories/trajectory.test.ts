import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MemoryLog } from "./memory.js";
import { decodeTrajectory, encodeTrajectory, oldestVersion, sampleKey, type Trajectory } from "./trajectory.js";

const sample = (tokens: number[]): Trajectory => ({
  key: sampleKey("run", { step: 3, group: 1, sample: 2 }, 0),
  step: 3,
  group: 1,
  sample: 2,
  attempt: 0,
  seed: 9,
  task: "t",
  prompt: "do $",
  tokens_T: Int32Array.from(tokens),
  lossMask_T: Uint8Array.from(tokens, (t) => t & 1),
  logprobs_T: Float32Array.from(tokens, (t) => -t / 8),
  versions_T: Uint32Array.from(tokens, (t) => (t & 1 ? t : 0)),
  reward: 0.5,
  finish: "submitted",
  turns: [{ start: 1, end: 2, action: "a", observation: "o", reward: 0.5, potential: 0.5, summary: true }],
  contexts: [1],
  shared: 1,
  startedAt: 5,
  seconds: 0.25,
  stages: { queued: 0, init: 0, run: 0, generate: 0, reward: 0 },
  metrics: { solved: 1 },
});

test("a trajectory survives the wire, whatever the alignment of its bytes", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000)), fc.nat(7), (tokens, offset) => {
      const bytes = encodeTrajectory(sample(tokens));
      const shifted = new Uint8Array(bytes.length + offset);
      shifted.set(bytes, offset);
      assert.deepEqual(decodeTrajectory(shifted.subarray(offset)), sample(tokens));
    }),
  );
});

test("the oldest version is that of sampled tokens only", () => {
  assert.equal(oldestVersion(sample([2, 9, 5, 4])), 5);
  assert.equal(oldestVersion(sample([2])), undefined);
});

test("a key counts once in the log, and what was published before the reader came is read", async () => {
  const log = MemoryLog.of("test/once");
  await log.publish("a", Uint8Array.of(1));
  await log.publish("a", Uint8Array.of(2));
  await log.publish("b", Uint8Array.of(3));
  const stop = new AbortController();
  const seen: number[] = [];
  for await (const { bytes } of log.consume(stop.signal)) if (seen.push(bytes[0]!) === 2) break;
  assert.deepEqual(seen, [1, 3]);
  await log.remove();
});
