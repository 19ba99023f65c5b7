import { toolEnvironment } from "../tool-environment.js";
import { demonstration } from "./demonstrations.js";
import { maxActionTokens, maxTurns, prepare, promptSign, tools } from "./quickstart.js";
import { expert, random } from "./scripts.js";
import { heldOutTasks, type QuickstartTask, ticket, trainTask } from "./task.js";
import { tokenizer } from "./vocabulary.js";

/**
 * A service whose ticket says which value a setting must get, and a few configuration files. `include NAME` decides where it
 * is looked up next, `#include NAME` no more; the agent reads, edits the one file that decides, and submits. The reward is 1
 * when the service's check then passes in the sandbox, else 0; nothing is earned or lost on the way. README.md tells what
 * training it takes.
 */
export const quickstart = toolEnvironment<QuickstartTask, null>({
  name: "quickstart",
  tokenizer,
  maxTurns,
  maxActionTokens,
  sandbox: true,
  start: prepare,
  prompt: ticket,
  tools,
  say: (observation) => observation + promptSign,
  mistake: () => "error", // the only word it has for one
  trainTask,
  heldOutTasks,
  expert,
  random,
  demonstration,
});

export type { QuickstartTask };
