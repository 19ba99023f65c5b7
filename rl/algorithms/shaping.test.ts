import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { scoreOf } from "./rewards.js";
import { addPotentials, overlongPenalty, potentialOf } from "./shaping.js";

test("a stage's milestones count once the stages before it are complete", () => {
  const stages = [
    { milestones: ["read", "located"], weight: 1 },
    { milestones: ["fixed"], weight: 3 },
  ];
  const phi = (...reached: string[]) => potentialOf(stages, new Set(reached));
  assert.deepEqual([phi(), phi("fixed"), phi("read"), phi("read", "located")], [0, 0, 0.125, 0.25]);
  assert.deepEqual([phi("read", "located", "fixed"), phi("read", "fixed")], [1, 0.125]);
  assert.equal(potentialOf([], new Set()), 0);
});

const episode = (rewards: number[]) =>
  scoreOf({
    lossMask_T: Uint8Array.from(rewards.flatMap(() => [0, 1, 1])),
    turns: rewards.map((reward, k) => ({ start: 3 * k + 1, end: 3 * k + 3, reward })),
  });

test("a milestone is rewarded on the token that ended the turn in which it was reached, and paid back at the end", () => {
  const sample = episode([0, 0, 1]);
  addPotentials(sample, [0.25, 0.75, 1], { gamma: 1, factor: 2 });
  assert.deepEqual([...sample.rewards_T], [0, 0, 0.5, 0, 0, 1, 0, 0, 1 - 1.5]);
  assert.equal(sample.score, 1);
});

test("shaping never changes the discounted return of an episode, so no policy's rank", () => {
  const phi = fc.integer({ min: 0, max: 8 }).map((n) => n / 8);
  fc.assert(
    fc.property(fc.array(fc.tuple(phi, phi), { maxLength: 6 }), fc.constantFrom(1, 0.5, 0), (turns, gamma) => {
      const discounted = (r_T: Float32Array) => turns.reduce((sum, _, k) => sum + gamma ** k * r_T[3 * k + 2]!, 0);
      const sample = episode(turns.map(([reward]) => reward));
      const plain = discounted(sample.rewards_T);
      addPotentials(
        sample,
        turns.map(([, p]) => p),
        { gamma, factor: 0.5 },
      );
      assert.ok(Math.abs(discounted(sample.rewards_T) - plain) < 1e-6);
    }),
  );
});

test("the overlong penalty sets in with the buffer and is whole at the maximum and beyond", () => {
  const at = (length: number) => overlongPenalty(length, { max: 20, buffer: 8, factor: 2 });
  assert.deepEqual([0, 12, 14, 20, 30].map(at), [0, 0, -0.5, -2, -2]);
});
