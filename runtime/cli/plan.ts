import { join } from "node:path";
import type { AutoscaleHook } from "../cluster/autoscale-hook.js";
import type { Offers } from "../cluster/offers.js";
import type { TlsFiles } from "../cluster/tls.js";
import { ActorsError } from "../core/errors.js";
import type { ObjectLimits } from "../objects/ledger.js";
import { readAutoscale } from "./autoscale.js";
import {
  applySetting,
  type Loaded,
  loadConfig,
  pickJob,
  readServers,
  readSpares,
  readTls,
  settleNodes,
} from "./config.js";
import type { Job, JobInput, Jobs } from "./job.js";
import { readOffers } from "./offers.js";
import { readObjectLimits } from "./sizes.js";
import { UsageError } from "./usage.js";

export interface UpOptions {
  nodes?: number;
  file?: string;
  seed?: number;
  idle?: boolean;
  resume?: string;
  set?: string[];
  port?: number;
  servers?: number;
  autoscaleCommand?: string;
  autoscaleUrl?: string;
  listen?: string;
  tls?: boolean;
  debug?: boolean;
  json?: boolean;
}

export interface Plan extends Loaded {
  nodes: number;
  offers: Offers;
  objects: Partial<ObjectLimits>;
  autoscale: AutoscaleHook | undefined;
  spares: number | undefined;
  servers: number;
  tls: true | TlsFiles | undefined;
  /** null with --idle. */
  job: Job | null;
  input: JobInput;
}

/** Reads and checks everything that can be wrong before anything starts. @throws UsageError */
export async function plan(options: UpOptions, jobs: Jobs, cwd: string): Promise<Plan> {
  const loaded = loadConfig(options.file, cwd);
  for (const setting of options.set ?? []) applySetting(loaded.document, setting);
  const nodes = settleNodes(loaded.document, options.nodes);
  const offers = readOffers(loaded.document);
  const objects = readObjectLimits(loaded.document);
  const autoscale = readAutoscale(loaded.document, options);
  const spares = readSpares(loaded.document);
  const servers = readServers(loaded.document, options.servers);
  const tls = readTls(loaded, options.tls, cwd);
  const input: JobInput = {
    ...{ config: loaded.document, configFile: loaded.file, seed: options.seed ?? null },
    ...{ resume: options.resume ?? null, runsDir: join(cwd, "runs") },
  };
  const planned = { ...loaded, nodes, offers, objects, autoscale, spares, servers, tls, input };
  if (options.idle) {
    if (options.resume !== undefined) throw new UsageError("--idle runs nothing, so there is nothing to --resume");
    return { ...planned, job: null };
  }
  const job = await pickJob(await jobs(), loaded, cwd);
  if (options.resume !== undefined && !job.resumes) {
    throw new UsageError(`the recipe ${job.name} cannot go on with a run`, {
      hint: "A job that can says `resumes: true`, and finds the run in context.resume.",
    });
  }
  try {
    await job.check?.(input);
  } catch (caught) {
    const error = ActorsError.from(caught, "INVALID_ARGUMENT");
    throw new UsageError(error.rawMessage, { cause: caught, hint: error.hint });
  }
  return { ...planned, job };
}
