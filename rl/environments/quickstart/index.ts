import type { EnvironmentDef } from "../environment.js";
import { demonstration } from "./demonstrations.js";
import { maxActionTokens, maxTurns, Quickstart } from "./quickstart.js";
import { heldOutTasks, type QuickstartTask, trainTask } from "./task.js";
import { tokenizer } from "./vocabulary.js";

/** The built-in environment; README.md in this folder tells what it is and what training it takes. */
export const quickstart: EnvironmentDef<QuickstartTask> = {
  name: "quickstart",
  tokenizer,
  maxTurns,
  maxActionTokens,
  create: () => new Quickstart(),
  trainTask,
  heldOutTasks,
  demonstration,
};

export type { QuickstartTask };
