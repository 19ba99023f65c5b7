import { ActorsError } from "../core/errors.js";
import { applySetting, type Loaded, loadConfig, pickJob, settleNodes } from "./config.js";
import type { Job, Jobs } from "./job.js";
import { UsageError } from "./usage.js";

export interface UpOptions {
  nodes?: number;
  file?: string;
  seed?: number;
  idle?: boolean;
  set?: string[];
  port?: number;
  debug?: boolean;
  json?: boolean;
}

export interface Plan extends Loaded {
  nodes: number;
  /** null with --idle. */
  job: Job | null;
}

/** Reads and checks everything that can be wrong before anything starts. @throws UsageError */
export async function plan(options: UpOptions, jobs: Jobs, cwd: string): Promise<Plan> {
  const loaded = loadConfig(options.file, cwd);
  for (const setting of options.set ?? []) applySetting(loaded.document, setting);
  const nodes = settleNodes(loaded.document, options.nodes);
  if (options.idle) return { ...loaded, nodes, job: null };
  const job = await pickJob(await jobs(), loaded, cwd);
  try {
    await job.check?.({ config: loaded.document, configFile: loaded.file, seed: options.seed ?? null });
  } catch (caught) {
    const error = ActorsError.from(caught, "INVALID_ARGUMENT");
    throw new UsageError(error.rawMessage, { cause: caught, hint: error.hint });
  }
  return { ...loaded, nodes, job };
}
