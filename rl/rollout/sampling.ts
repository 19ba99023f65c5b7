import type { Config } from "../config/schema.js";

/** How a token is drawn: vLLM's definitions, in its order. What is left out changes nothing. */
export interface Sampling {
  /** 0 is greedy. */
  temperature: number;
  topP: number;
  /** 0: off. */
  topK: number;
  minP?: number;
  repetitionPenalty?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  minTokens?: number;
  /** Texts that end an action, which they are part of. */
  stopStrings?: string[];
}

/** Of the episodes that a step asks for. */
export function samplingAt(
  step: number,
  { sampling_params: params, temperature_schedule: at }: Config["generator"],
): Sampling {
  const begin = params.temperature;
  const gone = Math.min(1, step / at.steps);
  return samplingOf({ ...params, temperature: at.end === null ? begin : begin + (at.end - begin) * gone });
}

export function samplingOf(params: Config["generator"]["sampling_params"]): Sampling {
  return {
    temperature: params.temperature,
    topP: params.top_p,
    topK: Math.max(0, params.top_k),
    minP: params.min_p,
    repetitionPenalty: params.repetition_penalty,
    presencePenalty: params.presence_penalty,
    frequencyPenalty: params.frequency_penalty,
    minTokens: params.min_tokens,
    stopStrings: params.stop,
  };
}
