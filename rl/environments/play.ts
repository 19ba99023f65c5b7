import { ActorsError } from "../../runtime/index.js";
import { LazySandbox } from "../sandbox/lazy.js";
import type {
  Demonstration,
  EnvContext,
  Environment,
  EnvironmentDef,
  Random,
  Script,
  StepResult,
} from "./environment.js";

export interface Played extends Demonstration {
  /** Sum over the turns. */
  reward: number;
  steps: StepResult[];
}

/** A step; the last one with what the evaluation adds. */
export async function stepOf<T>(env: Environment<T>, action: string, context: EnvContext): Promise<StepResult> {
  const step = await env.step(action, context);
  if (!env.evaluate || !(step.terminated || step.truncated)) return step;
  const { reward, info } = await env.evaluate(context);
  return { ...step, reward: step.reward + reward, info: { ...step.info, ...info } };
}

/** One episode by a script. @throws ActorsError INVALID_ARGUMENT when the script stops before the episode ends */
export async function play<T>(
  def: EnvironmentDef<T>,
  task: T,
  script: Script,
  random: Random,
  context: EnvContext,
): Promise<Played> {
  const env = def.create();
  try {
    const prompt = await env.reset(task, context);
    const player = script(prompt, random);
    const messages = env.messages?.();
    const played: Played = { prompt, ...(messages && { messages }), turns: [], steps: [], reward: 0 };
    let next = player.next();
    for (let turn = 0; turn < def.maxTurns; turn++) {
      if (next.done)
        throw new ActorsError("INVALID_ARGUMENT", `the script of ${def.name} stopped before the episode did`);
      const step = await stepOf(env, next.value, context);
      played.turns.push({ action: next.value, observation: step.observation });
      played.steps.push(step);
      played.reward += step.reward;
      if (step.terminated || step.truncated) return played;
      next = player.next(step.observation);
    }
    return played;
  } finally {
    await env.close();
  }
}

/** A context for environments that use no sandbox. */
export function noSandbox(signal: AbortSignal = new AbortController().signal): EnvContext {
  const refuse = async () => {
    throw new ActorsError("INVALID_ARGUMENT", "this episode has no sandbox", {
      hint: "Say `sandbox: true` where the environment is defined.",
    });
  };
  return { sandbox: new LazySandbox("none", refuse), signal };
}
