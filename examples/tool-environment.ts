import { defineEnvironment, seededRandom, ToolError, toolEnvironment, toolsOf } from "actors/rl";
import { z } from "zod";

/** Plain data: it travels between processes, and all that is random in an episode comes from it. */
interface Task {
  secret: number;
}

/** What changes in the course of an episode: plain data too, so that a copy of it is a snapshot. */
interface State {
  asked: number;
}

const { tool } = toolsOf<Task, State>();

export const guess = defineEnvironment(
  import.meta.url,
  toolEnvironment<Task, State>({
    name: "guess",
    maxTurns: 8,
    maxActionTokens: 32,

    start: () => ({ asked: 0 }),
    prompt: () => "I think of a number from 1 to 100. Ask, then answer.",

    tools: {
      compare: tool("Tell whether the number is above, below or equal.", { n: z.int() }, ({ n }, { task, state }) => {
        if (n < 1 || n > 100) throw new ToolError("numbers go from 1 to 100"); // the agent reads this
        state.asked++;
        return task.secret > n ? "above" : task.secret < n ? "below" : "equal";
      }),
      answer: tool("Say the number, and end.", { n: z.int() }, ({ n }, { task, state }) => {
        const solved = Number(n === task.secret);
        return { observation: "", reward: solved, done: true, info: { solved, asked: state.asked } };
      }),
    },

    // Multiples of five are held out.
    trainTask: (seed, index) => ({ secret: 5 * Math.floor(20 * seededRandom(seed, index)()) + 1 + (index % 4) }),
    heldOutTasks: () => Array.from({ length: 20 }, (_, i) => ({ secret: 5 * (i + 1) })),

    *expert() {
      let [low, high] = [1, 100];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const told = yield `compare ${middle}`;
        if (told === "equal") low = high = middle;
        else if (told === "above") low = middle + 1;
        else high = middle - 1;
      }
      yield `answer ${low}`;
    },
    *random(_prompt, dice) {
      yield `compare ${Math.ceil(100 * dice())}`;
      yield `answer ${Math.ceil(100 * dice())}`;
    },
  }),
);
