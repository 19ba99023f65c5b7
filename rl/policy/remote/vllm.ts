import { z } from "zod";
import { isActorsError } from "../../../runtime/index.js";
import { answer } from "./answer.js";
import type { Dialect } from "./dialect.js";

const generated = z.object({
  choices: z
    .array(
      z.object({
        token_ids: z.array(z.int()),
        finish_reason: z.enum(["stop", "length", "abort"]),
        logprobs: z.object({ content: z.array(z.object({ logprob: z.number() })) }).nullish(),
      }),
    )
    .min(1),
});
const models = z.object({ data: z.array(z.object({ max_model_len: z.int().nullish() })).min(1) });

/** vLLM's own routes for training: token ids in and out, and weights read again from a folder. */
export const vllm: Dialect = {
  name: "vLLM",
  hint: "Start it with VLLM_SERVER_DEV_MODE=1 vllm serve MODEL --logprobs-mode processed_logprobs.",

  async probe(server, options) {
    await server.get("/health", options);
    await server.get("/is_paused", options); // of the development mode, as is what loads weights
    const { data } = answer(server, "/v1/models", models, await server.get("/v1/models", options));
    return { maxSeqLen: data[0]!.max_model_len ?? null };
  },

  async draw(server, draw, options) {
    const path = "/inference/v1/generate";
    const sampling_params = {
      ...{ n: 1, max_tokens: draw.maxTokens, min_tokens: draw.minTokens, seed: draw.seed },
      ...{ temperature: draw.temperature, top_p: draw.topP, top_k: draw.topK, min_p: draw.minP },
      repetition_penalty: draw.repetitionPenalty,
      ...{ presence_penalty: draw.presencePenalty, frequency_penalty: draw.frequencyPenalty },
      ...{ stop: draw.stopStrings, stop_token_ids: draw.stop, include_stop_str_in_output: true },
      ...{ skip_special_tokens: false, logprobs: 1 },
    };
    const body = { request_id: draw.id, token_ids: draw.tokens, sampling_params, stream: false };
    const { choices } = answer(server, path, generated, await server.post(path, body, options));
    const [choice] = choices;
    const logprobs = choice!.logprobs?.content.map(({ logprob }) => logprob) ?? [];
    return { tokens: choice!.token_ids, logprobs, finish: choice!.finish_reason, version: null };
  },

  async abort(server, id, options) {
    await server.post("/abort_requests", { request_ids: [id] }, options);
  },

  async load(server, folder, version, options) {
    await server.post("/pause?mode=abort&clear_cache=true", undefined, options);
    try {
      const kwargs = { weights_path: folder, is_checkpoint_format: true };
      const timeout = Math.ceil(options.timeoutMs / 1000);
      await server.post("/collective_rpc", { method: "reload_weights", kwargs, timeout }, options);
      await server
        .post("/update_weight_version", { weight_version: String(version) }, options)
        .catch((error: unknown) => {
          if (!isActorsError(error, "NOT_FOUND")) throw error; // not every version has it
        });
    } finally {
      await server.post("/resume", undefined, options);
    }
  },
};
