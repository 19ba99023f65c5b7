import assert from "node:assert/strict";
import { test } from "node:test";
import { distill } from "./distillation.js";

const softmax = (logits: readonly number[]) => {
  const sum = logits.reduce((total, x) => total + Math.exp(x), 0);
  return logits.map((x) => Math.exp(x) / sum);
};
const reverseKl = (p: readonly number[], q: readonly number[]) =>
  p.reduce((sum, pi, i) => sum + pi * (Math.log(pi) - Math.log(q[i]!)), 0);

test("in expectation over what the policy samples, the advantages give the gradient of the reverse KL", () => {
  const logits = [0.3, -1.2, 0.8, 0.1];
  const [policy, teacher] = [softmax(logits), softmax([1, -0.5, -0.2, 0.4])];
  // One token of each kind, as the policy would sample it; the loss -A log p has the slope -A (1[k] - p).
  const { advantages_T, divergence } = distill(
    new Float32Array(4),
    {
      logp_T: Float32Array.from(policy, Math.log),
      teacher_T: Float32Array.from(teacher, Math.log),
      lossMask_T: new Uint8Array(4).fill(1),
    },
    1,
  );
  for (const j of logits.keys()) {
    const slope = policy.reduce((sum, p, k) => sum + p * -advantages_T[k]! * (Number(k === j) - policy[j]!), 0);
    const moved = (by: number) => softmax(logits.map((x, i) => (i === j ? x + by : x)));
    const wanted = (reverseKl(moved(1e-4), teacher) - reverseKl(moved(-1e-4), teacher)) / 2e-4;
    assert.ok(Math.abs(slope - wanted) < 1e-5, `${slope} for ${wanted}`);
  }
  const mean = policy.reduce((sum, p, k) => sum - p * advantages_T[k]!, 0);
  assert.ok(Math.abs(mean - reverseKl(policy, teacher)) < 1e-6);
  assert.ok(Math.abs(divergence + advantages_T.reduce((a, b) => a + b, 0)) < 1e-5);
});

test("what lies outside of the mask is 0, whatever stands there", () => {
  const taught = {
    logp_T: Float32Array.of(NaN, -1),
    teacher_T: Float32Array.of(NaN, -3),
    lossMask_T: Uint8Array.of(0, 1),
  };
  const { advantages_T, divergence } = distill(Float32Array.of(NaN, 0.5), taught, 0.25);
  assert.deepEqual([...advantages_T, divergence], [0, 0, 2]);
});
