import { mkdir, open, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import { ActorsError } from "../../runtime/index.js";
import { onDisk } from "./disk.js";
import type { MetricsSink } from "./sinks.js";

export interface RunSummary {
  seed: number;
  steps: number;
  /** Since the run was started the last time. */
  wallSeconds: number;
  /** Success on held-out tasks; null where it was not measured. */
  heldOut: { before: number | null; after: number | null };
  /** Sampled in training. */
  tokens: number;
  episodes: number;
  failedEpisodes: number;
}

/**
 * What a run leaves on disk: `config.yaml`, `metrics.jsonl`, `evaluations.jsonl`, `trajectories/`, `checkpoint/`, `summary.json`;
 * `data.json`, `reference/`, `weights/` and `tensorboard/` where there is need; and what it goes on from after a crash: `ledger.log`,
 * `episodes/`, `states/`.
 */
export class RunFolder {
  readonly path: string;

  readonly #sinks: MetricsSink[] = [];

  private constructor(path: string) {
    this.path = path;
  }

  /** What is written here goes there too. They are closed with the folder. */
  follow(sinks: readonly MetricsSink[]): void {
    this.#sinks.push(...sinks);
  }

  async close(): Promise<void> {
    await Promise.all(this.#sinks.splice(0).map((sink) => sink.close()));
  }

  /**
   * `<runsDir>/<day>-<time>-<name>`, and `latest` beside it points there.
   * @throws ActorsError UNAVAILABLE naming the folder when it cannot be written
   */
  static async create(runsDir: string, name: string, config: unknown): Promise<RunFolder> {
    await onDisk(runsDir, () => mkdir(runsDir, { recursive: true }));
    const path = await onDisk(runsDir, () => makeUnique(join(runsDir, `${timestamp(new Date())}-${name}`)));
    const folder = new RunFolder(path);
    await onDisk(path, async () => {
      await Promise.all([mkdir(folder.trajectories), mkdir(folder.states)]);
      await writeFile(join(path, "config.yaml"), stringify(config));
      await pointLatest(path);
    });
    return folder;
  }

  /** One that is there, and the configuration it was last trained with. */
  static async open(path: string): Promise<{ folder: RunFolder; config: unknown }> {
    const file = join(path, "config.yaml");
    try {
      return { folder: new RunFolder(path), config: parse(await readFile(file, "utf8")) as unknown };
    } catch (cause) {
      throw new ActorsError("NOT_FOUND", `${path} is no run that can be resumed: ${file} cannot be read`, { cause });
    }
  }

  async replaceConfig(config: unknown): Promise<void> {
    await replaceFile(join(this.path, "config.yaml"), stringify(config));
  }

  get id(): string {
    return basename(this.path);
  }

  get trajectories(): string {
    return join(this.path, "trajectories");
  }

  /** Of the learner, to go on from. */
  get states(): string {
    return join(this.path, "states");
  }

  /** Finished episodes that may still be needed. */
  get episodes(): string {
    return join(this.path, "episodes");
  }

  get checkpoint(): string {
    return join(this.path, "checkpoint");
  }

  /** Of the version in force, for engines of another maker. */
  get weights(): string {
    return join(this.path, "weights");
  }

  /** The policy before the first step, for a penalty on leaving it. */
  get reference(): string {
    return join(this.path, "reference");
  }

  /** One line, on disk when this resolves. */
  async metrics<T extends { step: number }>(line: T): Promise<void> {
    await this.#append("metrics.jsonl", line);
    for (const sink of this.#sinks) sink.write(line.step, "train", line);
  }

  async evaluation<T extends { step: number }>(line: T): Promise<void> {
    await this.#append("evaluations.jsonl", line);
    for (const sink of this.#sinks) sink.write(line.step, "eval", line);
  }

  async #append(name: string, line: object): Promise<void> {
    const file = join(this.path, name);
    await onDisk(file, async () => {
      const handle = await open(file, "a");
      try {
        await handle.appendFile(`${JSON.stringify(line)}\n`);
        await handle.datasync();
      } finally {
        await handle.close();
      }
    });
  }

  /** The lines of the steps up to `last`. What is behind them, or was cut off by a crash, goes. */
  async keepMetrics(
    last: number,
  ): Promise<{ step: number; tokens: number; episodes: number; failedEpisodes: number }[]> {
    const file = join(this.path, "metrics.jsonl");
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      ignoreMissing(error);
      return "";
    });
    const kept = text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
      .filter(({ step }) => step <= last);
    await replaceFile(file, kept.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return kept;
  }

  /** Other states than these go. */
  async keepStates(files: readonly string[]): Promise<void> {
    for (const name of await readdir(this.states)) {
      if (!files.includes(name)) await rm(join(this.states, name), { recursive: true });
    }
  }

  async summary(summary: object): Promise<void> {
    await this.#json("summary.json", summary);
  }

  /** What the run is trained on, and what was left out of it. */
  async data(report: { fingerprint: string }): Promise<void> {
    await this.#json("data.json", report);
  }

  /** Of the data that the run was begun with; null where the environment made its tasks. */
  async fingerprint(): Promise<string | null> {
    const text = await readFile(join(this.path, "data.json"), "utf8").catch((error: NodeJS.ErrnoException) => {
      ignoreMissing(error);
      return null;
    });
    return text === null ? null : (JSON.parse(text) as { fingerprint: string }).fingerprint;
  }

  async #json(name: string, value: object): Promise<void> {
    await replaceFile(join(this.path, name), `${JSON.stringify(value, null, 2)}\n`);
  }

  /** `write` fills a folder beside the checkpoint, which takes its place when it is whole. */
  async replaceCheckpoint(write: (folder: string) => Promise<void>): Promise<void> {
    const [next, old] = [`${this.checkpoint}.new`, `${this.checkpoint}.old`];
    await onDisk(this.checkpoint, async () => {
      await rm(next, { recursive: true, force: true });
      await write(next);
      await rm(old, { recursive: true, force: true });
      await rename(this.checkpoint, old).catch(ignoreMissing);
      await rename(next, this.checkpoint);
      await rm(old, { recursive: true, force: true });
    });
  }
}

async function replaceFile(file: string, text: string): Promise<void> {
  await onDisk(file, async () => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  });
}

async function makeUnique(path: string): Promise<string> {
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? path : `${path}-${n}`;
    try {
      await mkdir(candidate);
      return candidate;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** Replaced in one step, so that there is always a latest run. */
async function pointLatest(path: string): Promise<void> {
  const link = join(dirname(path), "latest");
  const next = `${link}.${basename(path)}`; // no other run makes the same
  await symlink(basename(path), next);
  await rename(next, link);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

function timestamp(at: Date): string {
  return at.toISOString().slice(0, 19).replaceAll("-", "").replaceAll(":", "").replace("T", "-");
}
