import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveConfig } from "../config/load.js";
import type { TaskSupply } from "../data/supply.js";
import { evaluationOf } from "./evaluate.js";

test("held-out tasks are sampled with all that eval_sampling_params says", () => {
  const sampled = { temperature: 0.7, top_k: -1, min_p: 0.1, repetition_penalty: 1.2, min_tokens: 2, stop: ["done"] };
  const config = resolveConfig({ generator: { eval_sampling_params: sampled } });
  const [, { sampling }] = evaluationOf(config, { heldOut: [] } as unknown as TaskSupply, "eval");
  assert.deepEqual(sampling, {
    ...{ temperature: 0.7, topP: 1, topK: 0, minP: 0.1, repetitionPenalty: 1.2 },
    ...{ presencePenalty: 0, frequencyPenalty: 0, minTokens: 2, stopStrings: ["done"] },
  });
});
