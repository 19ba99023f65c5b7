import { join, resolve } from "node:path";
import type { ModelConfig } from "../../native/index.js";
import { ActorsError } from "../../runtime/index.js";
import { mergeConfig, resolveConfig } from "../config/load.js";
import type { Config } from "../config/schema.js";
import { RunFolder } from "../run/folder.js";
import { RunLedger } from "../run/ledger.js";
import { lockRun } from "../run/lock.js";
import { findRun } from "../run/read.js";
import { allowedChanges } from "./changes.js";
import { type Inputs, loadInputs } from "./inputs.js";
import type { LearnerGroup } from "./learners.js";
import type { TrainOptions } from "./train.js";

/** What any kind of run needs of its inputs. */
type RunInputs = Pick<Inputs, "config"> & { tasks: Pick<Inputs["tasks"], "fingerprint" | "reports"> };
type Load<I> = (config: Config, baseDir: string) => Promise<I>;

/** A run's folder, held by this process. */
export type OpenRun<I extends RunInputs = Inputs> = I & Held;

interface Held {
  folder: RunFolder;
  ledger: RunLedger;
  /** What was changed since the run was last trained, one setting each; null: it is new. */
  changes: string[] | null;
  close(): Promise<void>;
}

type Where = Pick<TrainOptions, "config" | "name" | "runsDir" | "baseDir" | "resume">;

/** @throws ActorsError naming what is wrong: a configuration that does not fit the run, a run that is trained already, a damaged ledger */
export function openRun(options: Where): Promise<OpenRun> {
  return openRunOf(options, loadInputs);
}

/** Of a kind whose inputs `load` finds. */
export async function openRunOf<I extends RunInputs>(options: Where, load: Load<I>): Promise<OpenRun<I>> {
  const runsDir = resolve(options.runsDir ?? "runs");
  return options.resume === undefined
    ? createRun(options, runsDir, load)
    : reopenRun(options, options.resume, runsDir, load);
}

async function createRun<I extends RunInputs>(options: Where, runsDir: string, load: Load<I>): Promise<OpenRun<I>> {
  const baseDir = resolve(options.baseDir ?? ".");
  const inputs = await load(resolveConfig(options.config), baseDir);
  const folder = await RunFolder.create(runsDir, options.name, inputs.config);
  const { fingerprint, reports } = inputs.tasks;
  if (fingerprint !== null) await folder.data({ fingerprint, ...reports });
  return hold(folder, { baseDir, changes: null, load: async () => inputs });
}

async function reopenRun<I extends RunInputs>(
  options: Where,
  run: string,
  runsDir: string,
  load: Load<I>,
): Promise<OpenRun<I>> {
  const { folder, config, changes } = await checkResume(run, runsDir, options.config);
  return hold(folder, {
    changes,
    load: (baseDir) => load(config, baseDir),
    ...(options.baseDir !== undefined && { baseDir: resolve(options.baseDir) }),
  });
}

/**
 * The run as it would go on: its own settings with `overrides` over them. Nothing is changed on disk.
 * @throws ActorsError NOT_FOUND for a run that is not there, INVALID_ARGUMENT for a change that would make it another run
 */
export async function checkResume(run: string, runsDir: string, overrides: unknown) {
  const { folder, config: recorded } = await RunFolder.open(findRun(runsDir, run));
  const before = resolveConfig(recorded);
  const config = resolveConfig(mergeConfig(before, overrides));
  return { folder, config, before, changes: allowedChanges(before, config) };
}

interface Known<I> {
  load(baseDir: string): Promise<I>;
  changes: string[] | null;
  /** Default: as the run began. */
  baseDir?: string;
}

async function hold<I extends RunInputs>(
  folder: RunFolder,
  { load, changes, baseDir: given }: Known<I>,
): Promise<OpenRun<I>> {
  const unlock = await lockRun(folder.path);
  let ledger: RunLedger | undefined;
  try {
    ledger = await RunLedger.open(folder.path);
    const baseDir = given ?? ledger.start?.baseDir ?? ".";
    const inputs = await load(baseDir);
    if (inputs.tasks.fingerprint !== (await folder.fingerprint())) {
      throw new ActorsError(
        "INVALID_ARGUMENT",
        `the rows of data.train_data are not those that ${folder.path} was begun with`,
        {
          hint: "Put them back, or begin a new run from this one's checkpoint with trainer.policy.model.path.",
        },
      );
    }
    await ledger.append({ kind: "start", at: Date.now(), baseDir, changes: changes ?? [] });
    if (changes && changes.length > 0) await folder.replaceConfig(inputs.config);
    const held = ledger;
    return {
      ...inputs,
      ...{ folder, ledger, changes },
      async close() {
        await held.close();
        unlock();
      },
    };
  } catch (error) {
    await ledger?.close();
    unlock();
    throw error;
  }
}

/** Starts the learners where the run is: at its newest saved state that can be read, or anew. */
export async function startFrom(
  learners: LearnerGroup,
  { folder, ledger }: Pick<Held, "folder" | "ledger">,
  line: (text: string) => void,
): Promise<ModelConfig> {
  for (;;) {
    const newest = ledger.states.at(-1);
    if (!newest) return learners.start();
    const path = join(folder.states, newest.file);
    try {
      return await learners.start({ version: newest.version, path });
    } catch (error) {
      const { rawMessage, details } = ActorsError.from(error);
      if (!unreadable.has(String(details["code"])) || !ledger.fallBack()) throw error;
      line(`${newest.file} cannot be read (${rawMessage}); going on from the state before it`);
    }
  }
}

const unreadable = new Set(["CORRUPT_FILE", "IO"]);
