import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { scoreOf } from "./rewards.js";

const mask = (...m: number[]) => Uint8Array.from(m);

test("a turn's reward lies on the last token sampled in it", () => {
  const turns = [
    { start: 1, end: 3, reward: 0.5 },
    { start: 5, end: 6, reward: 2 },
  ];
  const sample = scoreOf({ lossMask_T: mask(0, 1, 1, 0, 0, 1), turns });
  assert.deepEqual([...sample.rewards_T], [0, 0, 0.5, 0, 0, 2]);
  assert.equal(sample.score, 2.5);
});

test("a turn without tokens gives its reward to the token before it, or the first; without any token only the score is left", () => {
  const turns = [{ start: 2, end: 2, reward: 1 }];
  assert.deepEqual([...scoreOf({ lossMask_T: mask(0, 1, 0, 1), turns }).rewards_T], [0, 1, 0, 0]);
  assert.deepEqual([...scoreOf({ lossMask_T: mask(0, 0, 0, 1), turns }).rewards_T], [0, 0, 0, 1]);
  const silent = scoreOf({ lossMask_T: mask(0, 0), turns: [{ start: 0, end: 0, reward: 1 }] });
  assert.deepEqual([silent.score, ...silent.rewards_T], [1, 0, 0]);
  assert.equal(scoreOf({ lossMask_T: mask(), turns }).score, 1);
});

test("token rewards add up to the score wherever turns lie, and lie on sampled tokens only", () => {
  const turn = fc.record({ start: fc.nat(9), end: fc.nat(12), reward: fc.integer({ min: -8, max: 8 }) });
  const masks = fc.array(fc.nat(1), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(masks, fc.array(turn), (m, turns) => {
      const sample = scoreOf({ lossMask_T: Uint8Array.from(m), turns });
      const total = sample.rewards_T.reduce((a, b) => a + b, 0);
      assert.equal(total, m.includes(1) ? sample.score : 0);
      for (const [t, r] of sample.rewards_T.entries()) assert.ok(m[t] || r === 0);
    }),
  );
});
