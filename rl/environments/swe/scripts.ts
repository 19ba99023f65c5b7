import type { Random, Script } from "../environment.js";
import { pick } from "../random.js";
import { type Agent, submission } from "./agents.js";

const call = (name: string, args: object) => `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
const run = (agent: Agent, command: string) => call(agent === "bash" ? "bash" : "execute_bash", { command });
const end = (agent: Agent) =>
  agent === "bash" ? run(agent, `echo ${submission}`) : call("finish", { message: "done" });

/** Knows the reference: looks around, applies it with the agent's tools, and ends. What a perfect agent would get. */
export const expertOf = (agent: Agent, taskOf: (prompt: string) => { patch: string | null } | undefined): Script =>
  function* (prompt) {
    yield run(agent, "git log --oneline | wc -l && git status --short");
    yield run(agent, `git apply - <<'END_OF_PATCH'\n${taskOf(prompt)?.patch ?? ""}END_OF_PATCH`);
    yield end(agent);
  };

const commands = (dice: Random) => [
  "ls -R",
  "git log --oneline",
  "cat $(git ls-files | shuf -n 1 --random-source=/usr/bin/env)",
  `sed -i '${1 + Math.floor(20 * dice())}d' "$(git ls-files -- ':!tests' | sed -n ${1 + Math.floor(3 * dice())}p)"`,
  `sed -i 's/${pick(["<", ">=", "1", "true", "False"], dice)}/${pick(["<=", ">", "0", "false", "True"], dice)}/' $(git ls-files -- ':!tests')`,
];

/** Looks and edits without a thought, then ends. */
export const randomOf = (agent: Agent, turns: number): Script =>
  function* (_prompt, dice) {
    for (let turn = 1; turn < turns; turn++) yield run(agent, pick(commands(dice), dice));
    yield end(agent);
  };
