import { z } from "zod";
import { questionOf } from "../../data/row.js";
import type { Script } from "../environment.js";
import { hashText, seededRandom } from "../random.js";
import { toolEnvironment } from "../tool-environment.js";
import { toolsOf } from "../tools.js";
import { evaluate } from "./expression.js";
import { type ArithmeticTask, drawProblem, plans } from "./problems.js";

const { tool } = toolsOf<ArithmeticTask, null>();

const tools = {
  calculate: tool(
    "Evaluate an expression of numbers, + - * / and parentheses.",
    { expression: z.string().max(200) },
    (input) => String(evaluate(input.expression)),
  ),
  answer: tool(
    "Give the final answer, and end.",
    { text: z.string().describe("ends in `#### NUMBER`") },
    ({ text }, { task }) => {
      const reward = Number(finalNumber(text) === task.answer);
      return { observation: "", reward, done: true, info: { solved: reward } };
    },
  ),
};

/** The number after the last `####`, as GSM8K writes answers: with commas or a dollar sign if need be. Null: there is none. */
export function finalNumber(text: string): number | null {
  const found = /####\s*\$?\s*(-?[\d,]*\.?\d+)\s*\.?$/.exec(text.trim())?.[1];
  return found === undefined ? null : Number(found.replaceAll(",", ""));
}

const expert: Script = function* (prompt) {
  const plan = plans.find(([sign]) => sign.test(prompt))![1];
  yield `answer #### ${yield `calculate ${plan(prompt.match(/\d+/g)!)}`}`;
};

/** Calculates something with the numbers of the question, and answers it. */
const random: Script = function* (prompt, dice) {
  const numbers = prompt.match(/\d+/g)!;
  const any = () => numbers[Math.floor(dice() * numbers.length)]!;
  const sign = () => "+-*/"[Math.floor(dice() * 4)]!;
  yield `answer #### ${yield `calculate ${any()} ${sign()} ${any()} ${sign()} ${any()}`}`;
};

/** One question in eight is kept for the held-out tasks. */
const isHeldOut = ({ question }: ArithmeticTask) => hashText(question) % 8 === 0;

function draw(stream: number[], heldOut: boolean): ArithmeticTask {
  const dice = seededRandom(...stream);
  for (;;) {
    const task = drawProblem(dice);
    if (isHeldOut(task) === heldOut) return task;
  }
}

/** Word problems of two to four steps, generated, with a calculator; the reward is 1 for the right number after `####`. */
export const arithmetic = toolEnvironment<ArithmeticTask, null>({
  name: "arithmetic",
  maxTurns: 6,
  maxActionTokens: 256,
  start: () => null,
  prompt: ({ question }) => question,
  tools,
  trainTask: (seed, index) => draw([seed, index], false),
  heldOutTasks: () => Array.from({ length: 200 }, (_, i) => draw([i], true)),
  /** GSM8K's: the answer is a number, or ends in `#### NUMBER`. */
  fromRow(row) {
    const truth = String(row.reward_spec.ground_truth);
    const answer = finalNumber(truth) ?? finalNumber(`#### ${truth}`);
    if (answer === null) throw new Error(`reward_spec.ground_truth: no number in "${truth}"`);
    const question = questionOf(row);
    return { task: { question, answer }, prompt: question };
  },
  expert,
  random,
});
