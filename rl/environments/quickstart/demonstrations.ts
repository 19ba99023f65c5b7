import type { Demonstration, Random } from "../environment.js";
import { pick } from "../random.js";
import { promptSign, withSetting } from "./quickstart.js";
import { type QuickstartTask, ticket } from "./task.js";
import { values } from "./vocabulary.js";

/** How a demonstration errs. They were tuned together: README.md says what happens elsewhere. */
const maxReads = 4;
const readsWhatItSees = 0.85;
const minds = 0.9;
const prefersLive = 0.8;
const editsFirstFile = 0.2;
const copiesValue = 0.9;
const edits = 0.95;

/**
 * The work of someone who knows the tools but not the job: reads a few files, for some number that has nothing to do with
 * what they hold, edits any of them, submits. It teaches how to speak; when to stop reading and which file to edit is left to RL.
 */
export function demonstration(task: QuickstartTask, random: Random): Demonstration {
  const first = task.chain[0] as string;
  const demo: Demonstration = { prompt: ticket(task) + promptSign, turns: [] };
  const say = (action: string, answer: string) => demo.turns.push({ action, observation: answer + promptSign });
  const seen = new Set([first]);
  let latest: Mentioned = { names: [first] };

  const reads = Math.floor(random() * (maxReads + 1));
  for (let i = 0; i < reads; i++) {
    const name = random() < readsWhatItSees ? nextFile(latest, random) : pick([...seen], random);
    const content = (task.files[name] as string).trimEnd();
    say(`read ${name}`, content);
    const found = mentioned(content);
    for (const word of found.names) seen.add(word);
    latest = found.names.length > 0 ? found : { names: latest.names };
  }
  if (random() < edits) {
    const name = random() < editsFirstFile ? first : pick([...seen], random);
    const value = random() < copiesValue ? task.want : pick(values, random);
    const changed = withSetting(task.files[name] as string, value);
    say(`edit ${name} ${value}`, changed === null ? "none" : "done");
  }
  demo.turns.push({ action: "submit", observation: "" });
  return demo;
}

interface Mentioned {
  names: string[];
  live?: string;
  dead?: string;
}

function mentioned(content: string): Mentioned {
  const live = /^include (\S+)/m.exec(content)?.[1];
  const dead = /^#include (\S+)/m.exec(content)?.[1];
  return live && dead ? { names: [live, dead], live, dead } : { names: [] };
}

function nextFile({ names, live, dead }: Mentioned, random: Random): string {
  if (!live || !dead || random() >= minds) return pick(names, random);
  return random() < prefersLive ? live : dead;
}
