import { sweEnvironment } from "./swe.js";
import { bundledFolder } from "./task.js";

/** The tasks that come with the package, for an agent with the tools of CodeAct, and for one that has bash alone. */
export const swe = sweEnvironment({ name: "swe", folder: bundledFolder });
export const sweBash = sweEnvironment({ name: "swe-bash", folder: bundledFolder, agent: "bash" });
