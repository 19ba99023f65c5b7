import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { reductions } from "./reductions.js";

// two prompts; the middle sequence sampled nothing
const shape = { tokens_B: [2, 0, 6], prompts_B: [0, 0, 1], maxSeqLen: 10 };

test("each reduction by hand", async () => {
  const weights = async (name: string) => (await reductions.load(name, import.meta.url))(shape);
  assert.deepEqual(await weights("token_mean"), [1 / 8, 1 / 8, 1 / 8]);
  assert.deepEqual(await weights("sequence_mean"), [1 / 6, 1 / 3, 1 / 18]);
  assert.deepEqual(await weights("seq_mean_token_sum_norm"), [1 / 30, 1 / 30, 1 / 30]);
  assert.deepEqual(await weights("prompt_mean"), [1 / 4, 1 / 4, 1 / 12]);
});

test("a constant loss has itself as its mean over tokens, sequences and prompts that sampled something", async () => {
  const sequences = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.nat(3)), { minLength: 1 });
  for (const name of ["token_mean", "sequence_mean", "prompt_mean"]) {
    const reduction = await reductions.load(name, import.meta.url);
    fc.assert(
      fc.property(sequences, (s) => {
        const tokens_B = s.map(([n]) => n);
        const weights = reduction({ tokens_B, prompts_B: s.map(([, p]) => p), maxSeqLen: 30 });
        const total = weights.reduce((sum, w, b) => sum + w * tokens_B[b]!, 0);
        assert.ok(Math.abs(total - 1) < 1e-9, `${name}: ${total}`);
      }),
    );
  }
});

test("nothing sampled, or nothing at all, weighs nothing that is not finite", async () => {
  for (const name of reductions.names()) {
    const reduction = await reductions.load(name, import.meta.url);
    assert.deepEqual(reduction({ tokens_B: [], prompts_B: [], maxSeqLen: 4 }), []);
    assert.ok(reduction({ tokens_B: [0, 0], prompts_B: [0, 1], maxSeqLen: 4 }).every(Number.isFinite));
  }
});
