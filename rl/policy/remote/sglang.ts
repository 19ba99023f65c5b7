import { z } from "zod";
import { ActorsError } from "../../../runtime/index.js";
import { answer } from "./answer.js";
import type { Dialect } from "./dialect.js";

const generated = z.object({
  output_ids: z.array(z.int()),
  meta_info: z.object({
    finish_reason: z.object({ type: z.enum(["stop", "length", "abort"]) }),
    weight_version: z.union([z.string(), z.number()]).nullish(),
    output_token_logprobs: z.array(z.tuple([z.number(), z.int()]).rest(z.unknown())).default([]),
  }),
});
const loaded = z.object({ success: z.boolean(), message: z.string().default("") });

export const sglang: Dialect = {
  name: "SGLang",
  hint: "Start it with python -m sglang.launch_server --model-path MODEL.",

  async probe(server, options) {
    await server.get("/health_generate", options);
    await server.get("/model_info", options);
    return { maxSeqLen: null };
  },

  async draw(server, draw, options) {
    const sampling_params = {
      ...{ max_new_tokens: draw.maxTokens, min_new_tokens: draw.minTokens, sampling_seed: draw.seed },
      ...{ temperature: draw.temperature, top_p: draw.topP, top_k: draw.topK || -1, min_p: draw.minP },
      repetition_penalty: draw.repetitionPenalty,
      ...{ presence_penalty: draw.presencePenalty, frequency_penalty: draw.frequencyPenalty },
      ...{ stop: draw.stopStrings, stop_token_ids: draw.stop, no_stop_trim: true, skip_special_tokens: false },
    };
    const asked = { rid: draw.id, input_ids: draw.tokens, sampling_params };
    const body = { ...asked, return_logprob: true, logprob_start_len: -1, stream: false };
    const { output_ids, meta_info } = answer(
      server,
      "/generate",
      generated,
      await server.post("/generate", body, options),
    );
    return {
      tokens: output_ids,
      logprobs: meta_info.output_token_logprobs.map(([logprob]) => logprob),
      finish: meta_info.finish_reason.type,
      version: meta_info.weight_version == null ? null : String(meta_info.weight_version),
    };
  },

  async abort(server, id, options) {
    await server.post("/abort_request", { rid: id }, options);
  },

  async load(server, folder, version, options) {
    await server.post("/pause_generation", { mode: "abort" }, options);
    try {
      const path = "/update_weights_from_disk";
      const asked = { model_path: folder, weight_version: String(version) };
      const body = { ...asked, abort_all_requests: true, flush_cache: true };
      const { success, message } = answer(server, path, loaded, await server.post(path, body, options));
      if (!success) throw new ActorsError("UNAVAILABLE", `${server.url}${path} refused ${folder}: ${message}`);
    } finally {
      await server.post("/continue_generation", {}, options);
    }
  },
};
