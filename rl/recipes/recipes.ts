import type { Job } from "../../runtime/cli/job.js";
import { sft } from "../sft/job.js";
import { type Recipe, trainingJob } from "./job.js";
import { recipe as quickstart } from "./quickstart.js";

/** By name, as `recipe` takes it; the first is the default. */
export const recipes: readonly Recipe[] = [
  quickstart,
  { name: "train", describe: "Trains what the file says, from the defaults of every setting.", settings: {} },
];

export const jobs: readonly Job[] = [...recipes.map(trainingJob), sft];
