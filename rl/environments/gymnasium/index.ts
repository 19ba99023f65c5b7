import { z } from "zod";
import { ActorsError } from "../../../runtime/index.js";
import type { EnvironmentDef, Script } from "../environment.js";
import { seededRandom } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { toolsOf } from "../tools.js";
import { type Made, type Player, Players, type Space } from "./python.js";

export interface GymnasiumTask {
  seed: number;
}

export interface GymnasiumOptions {
  /** As `gymnasium.make` takes it, such as `CartPole-v1`; `module:Name-v0` imports a module first. */
  id: string;
  /** Further arguments of `gymnasium.make`. */
  arguments?: Record<string, unknown>;
  /** A Python that has gymnasium. Default: ACTORS_PYTHON, or python3. */
  python?: string;
  /** Default: its own time limit, or 200. */
  maxTurns?: number;
  /** Deadlines of the start of Python and of a step, ms. */
  startMs?: number;
  stepMs?: number;
  /** Without one there are no demonstrations. */
  expert?: Script;
}

interface GymnasiumState {
  observation: number[];
  sum: number;
}

const mostNumbers = 256;

/**
 * An environment of Gymnasium, played by its number of an action (Discrete) or its numbers (Box, MultiDiscrete, MultiBinary) in a
 * Python process. The reward is its own. The same seed and actions give the same episode. An exception, a crash or a hang of Python is
 * a retryable failure of the episode, never a reward.
 * @throws ActorsError INVALID_ARGUMENT where it cannot be made, or its spaces cannot be told in a line of text
 */
export async function gymnasium(options: GymnasiumOptions): Promise<EnvironmentDef<GymnasiumTask>> {
  const { id, arguments: rest = {}, python = process.env["ACTORS_PYTHON"] ?? "python3" } = options;
  const { startMs = 60_000, stepMs = 30_000 } = options;
  const players = new Players({ id, arguments: rest, python, startMs, stepMs });
  const made = await players.describe();
  const action = boundsOf(made.action, `the actions of ${id}`);
  boundsOf(made.observation, `the observations of ${id}`);
  const maxTurns = options.maxTurns ?? made.turns ?? 200;
  const random: Script = function* (_, dice) {
    for (;;) yield `act ${action.map((of) => drawn(of, dice())).join(" ")}`;
  };
  return toolEnvironment<GymnasiumTask, GymnasiumState, Player>({
    name: `gymnasium:${id}`,
    maxTurns,
    maxActionTokens: 16 + 12 * action.length,
    open: () => players.take(),
    start: async ({ seed }, { signal }, player) => ({ observation: await player.reset(seed, signal), sum: 0 }),
    prompt: (_, { observation }) => `${id}: ${toldBounds(action)}\n${shown(observation)}`,
    tools: { act: actTool(action, made) },
    // Even seeds are trained on, odd ones are held out.
    trainTask: (seed, index) => ({ seed: 2 * Math.floor(2 ** 30 * seededRandom(seed, index)()) }),
    heldOutTasks: () => Array.from({ length: 50 }, (_, i) => ({ seed: 2 * i + 1 })),
    random,
    ...(options.expert && { expert: options.expert }),
  });
}

interface Bounds {
  low: number | null;
  high: number | null;
  whole: boolean;
}

function boundsOf(space: Space, what: string): Bounds[] {
  const numbers = numbersOf(space);
  if (numbers && numbers.length > 0 && numbers.length <= mostNumbers) return numbers;
  const found = numbers ? `${numbers.length} numbers` : `a ${(space as { name: string }).name}`;
  throw new ActorsError("INVALID_ARGUMENT", `${what} are ${found}, which no line of text tells`, {
    hint: `Wrap it so that they are Discrete, or at most ${mostNumbers} numbers: FlattenObservation, or a wrapper of your own.`,
  });
}

function numbersOf(space: Space): Bounds[] | null {
  if (space.kind === "discrete") return [{ low: space.start, high: space.start + space.n - 1, whole: true }];
  if (space.kind !== "box") return null;
  return space.low.map((low, i) => ({ low, high: space.high[i]!, whole: space.whole }));
}

const { tool } = toolsOf<GymnasiumTask, GymnasiumState, Player>();

function actTool(action: readonly Bounds[], { solved }: Made) {
  const keys = action.map((_, i) => (action.length === 1 ? "action" : `a${i + 1}`));
  const shape = Object.fromEntries(keys.map((key, i) => [key, numberIn(action[i]!)]));
  return tool("Act for one step.", shape, async (input, { state, opened, context }) => {
    const taken = keys.map((key) => (input as Record<string, number>)[key]!);
    const { observation, reward, terminated, truncated } = await opened.step(taken, context.signal);
    state.observation = observation;
    state.sum += reward;
    const info = solved !== null && (terminated || truncated) ? { solved: Number(state.sum >= solved) } : {};
    return { observation: shown(observation), reward, done: terminated, truncated, info };
  });
}

function numberIn({ low, high, whole }: Bounds): z.ZodNumber {
  let number = whole ? z.int() : z.number();
  if (low !== null) number = number.min(low);
  if (high !== null) number = number.max(high);
  return number;
}

const toldBounds = (action: readonly Bounds[]) =>
  `an action is ${action.map(({ low, high, whole }) => `${whole ? "a whole number" : "a number"} from ${low ?? "-inf"} to ${high ?? "inf"}`).join(", ")}.`;

const shown = (numbers: readonly number[]) => numbers.map((n) => String(Number(n.toPrecision(4)))).join(" ");

/** Within the bounds, or a few units around 0. */
function drawn({ low, high, whole }: Bounds, share: number): string {
  const [from, to] = [low ?? Math.min(-1, (high ?? 0) - 1), high ?? Math.max(1, (low ?? 0) + 1)];
  return whole ? String(from + Math.floor(share * (to - from + 1))) : String(from + share * (to - from));
}
