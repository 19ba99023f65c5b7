import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";
import { resolveConfig } from "../config/load.js";
import type { EnvContext, EnvironmentDef } from "../environments/environment.js";
import { stepOf } from "../environments/play.js";
import { loadEnvironment, parseEnvironmentRef } from "../rollout/environment-ref.js";
import type { RecordedTrajectory } from "./record-worker.js";

/** What came out otherwise than it was recorded; `turn` 0 is the prompt. */
export interface Deviation {
  turn: number;
  what: "prompt" | "observation" | "reward" | "end";
  recorded: string;
  replayed: string;
}

/** The environment that a run was trained in; a path that its configuration does not have whole starts from `baseDir`. */
export async function environmentOf(run: string, baseDir: string): Promise<EnvironmentDef> {
  const config = resolveConfig(parse(readFileSync(join(run, "config.yaml"), "utf8")));
  const baseUrl = pathToFileURL(`${resolve(baseDir)}/`).href;
  return loadEnvironment(parseEnvironmentRef(config.environment.env_class, baseUrl));
}

/**
 * Takes the recorded actions again in a fresh episode of the recorded task, without a model. Nothing deviates where the environment
 * is deterministic and still the same code.
 */
export async function replayRollout(
  def: EnvironmentDef,
  recorded: RecordedTrajectory,
  context: EnvContext,
): Promise<Deviation[]> {
  const found: Deviation[] = [];
  const compare = (turn: number, what: Deviation["what"], before: unknown, now: unknown) => {
    if (before !== now) found.push({ turn, what, recorded: String(before), replayed: String(now) });
  };
  const env = def.create();
  try {
    compare(0, "prompt", recorded.prompt, await env.reset(JSON.parse(recorded.task), context));
    const actions = recorded.turns.filter(({ summary }) => !summary);
    for (const [i, { action, observation, reward }] of actions.entries()) {
      const step = await stepOf(env, action, context);
      compare(i + 1, "observation", observation, step.observation);
      compare(i + 1, "reward", reward, step.reward);
      const last = i === actions.length - 1;
      const ended = last && (recorded.finish === "submitted" || recorded.finish === "length");
      compare(i + 1, "end", ended, step.terminated);
      if (step.terminated || (step.truncated && last)) break;
    }
  } finally {
    await env.close();
  }
  return found;
}

export function formatReplay(recorded: RecordedTrajectory, deviations: readonly Deviation[]): string[] {
  const turns = `${recorded.turns.length} turns, reward ${recorded.reward}, ${recorded.finish}`;
  if (deviations.length === 0) return [`${recorded.key}: replayed as it was recorded (${turns})`];
  return [
    `${recorded.key}: ${deviations.length} differences in the replay (${turns})`,
    ...deviations.flatMap(({ turn, what, recorded: before, replayed }) => [
      `  ${turn === 0 ? "" : `turn ${turn}: `}${what}`,
      `    recorded ${JSON.stringify(before)}`,
      `    replayed ${JSON.stringify(replayed)}`,
    ]),
  ];
}
