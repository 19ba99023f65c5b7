import type { EnvContext, EnvironmentDef, Evaluation } from "../environment.js";
import { seededRandom, shuffled } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { type Agent, promptOf, type SweRef, type SweState, toolsFor } from "./agents.js";
import type { Ground } from "./ground.js";
import { expertOf, randomOf } from "./scripts.js";

export interface AgentOptions {
  name: string;
  /** Default: codeact. */
  agent?: Agent;
  /** Default: 30. What is not handed in by then is not graded. */
  maxTurns?: number;
  /** Of one action, which may hold a whole file. Default: 4096. */
  maxActionTokens?: number;
  tokenizer?: EnvironmentDef["tokenizer"];
}

/** Where issues come from, and how one is laid out and graded. */
export interface Issues<T> {
  /** Every fifth is held out. */
  refs(): readonly SweRef[];
  load(ref: SweRef): T;
  /** What its repository is, in a word. */
  what(task: T): string;
  ground: Ground;
  layOut(task: T, context: EnvContext): Promise<unknown>;
  grade(task: T, context: EnvContext): Promise<Evaluation>;
}

const heldOutOf = 5;
const randomTurns = 6;

/** Repositories with an open issue, for an agent. */
export function agentEnvironment<T extends { problem_statement: string; patch: string | null }>(
  { name, agent = "codeact", maxTurns = 30, maxActionTokens = 4096, tokenizer }: AgentOptions,
  { refs, load, what, ground, layOut, grade }: Issues<T>,
): EnvironmentDef<SweRef> {
  const split = once(() => {
    const [heldOut, train] = [
      refs().filter((_, i) => i % heldOutOf === 0),
      refs().filter((_, i) => i % heldOutOf !== 0),
    ];
    return { heldOut, train: train.length > 0 ? train : heldOut };
  });
  const prompt = (task: T) => promptOf(task.problem_statement, what(task), ground, agent);
  const taskOf = (said: string) =>
    refs()
      .map(load)
      .find((task) => said === prompt(task));
  return toolEnvironment<SweRef, SweState>({
    ...{ name, maxTurns, maxActionTokens, sandbox: true, ...(tokenizer && { tokenizer }) },
    start: async (ref, context) => {
      await layOut(load(ref), context);
      return { history: {} };
    },
    prompt: (ref) => prompt(load(ref)),
    tools: toolsFor(agent, ground),
    evaluate: async ({ task, context }, done) => (done ? grade(load(task), context) : { reward: 0, info: {} }),
    trainTask: (seed, index) => {
      const { train } = split();
      const [round, at] = [Math.floor(index / train.length), index % train.length];
      return shuffled(train, seededRandom(seed, round))[at]!;
    },
    heldOutTasks: () => [...split().heldOut],
    expert: expertOf(agent, taskOf),
    random: randomOf(agent, randomTurns),
  });
}

export function once<V>(make: () => V): () => V {
  let made: V | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
