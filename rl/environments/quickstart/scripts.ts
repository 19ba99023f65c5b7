import type { Script } from "../environment.js";
import { pick } from "../random.js";
import { maxTurns } from "./quickstart.js";
import { names, values } from "./vocabulary.js";

/** Reads along the live includes, then edits. */
export const expert: Script = function* (prompt) {
  const [, , , want, , start] = prompt.split(/\s+/);
  let name = start!;
  for (;;) {
    const next = /^include (\S+)/m.exec(yield `read ${name}`)?.[1];
    if (!next) break;
    name = next;
  }
  yield `edit ${name} ${want}`;
  yield "submit";
};

/** Reads and edits anything, then submits. */
export const random: Script = function* (_, dice) {
  for (let turn = 1; turn < maxTurns; turn++) {
    yield pick([`read ${pick(names, dice)}`, `edit ${pick(names, dice)} ${pick(values, dice)}`], dice);
  }
  yield "submit";
};
