import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { findClusterFile, stateDirName } from "../cluster/state.js";
import { ActorsError } from "../core/errors.js";
import { nearest } from "../core/nearest.js";
import { pause } from "../core/wait.js";
import { formatLine, type Line, parseLine } from "./log-lines.js";
import { clusterRuns } from "./processes.js";
import { UsageError } from "./usage.js";

const pollMs = 200;
const chunkBytes = 1 << 16;

export interface LogsOptions {
  follow?: boolean;
  json?: boolean;
}

/**
 * Prints the logs of the folder's last cluster in the order of time; with `follow` until the cluster ends or the signal.
 * @param wanted a node, an actor's name, definition or id, `nats` or `up`; undefined: all
 */
export async function logs(
  wanted: string | undefined,
  options: LogsOptions,
  at: { cwd: string; out: Pick<NodeJS.WriteStream, "write">; signal: AbortSignal },
): Promise<void> {
  const stateDir = stateDirOf(at.cwd);
  const tails = new Map<string, Tail>();
  const show = (lines: Line[]) => {
    lines.sort((a, b) => a.at - b.at);
    at.out.write(lines.map((line) => formatLine(line, options.json === true)).join(""));
  };
  const sources = () => logFiles(stateDir).filter(({ source }) => wanted === undefined || matches(source, wanted));
  const read = () =>
    sources().flatMap(({ source, path }) => {
      if (!tails.has(path)) tails.set(path, new Tail(source, path));
      return tails.get(path)!.read();
    });
  if (sources().length === 0) refuse(wanted, stateDir, options);
  show(read());
  while (options.follow && !at.signal.aborted && clusterRuns(stateDir)) {
    await pause(pollMs, at.signal);
    show(read());
  }
  for (const tail of tails.values()) show(tail.rest());
}

/** Reads what came since the last time, whole lines only. */
class Tail {
  readonly #source: string;
  readonly #path: string;
  #offset = 0;
  #partial = Buffer.alloc(0);

  constructor(source: string, path: string) {
    this.#source = source;
    this.#path = path;
  }

  read(): Line[] {
    const bytes = Buffer.concat([this.#partial, this.#fresh()]);
    const end = bytes.lastIndexOf("\n") + 1;
    this.#partial = bytes.subarray(end);
    return this.#lines(bytes.subarray(0, end));
  }

  /** A last line that nobody ended. */
  rest(): Line[] {
    return this.#lines(this.#partial);
  }

  #lines(bytes: Buffer): Line[] {
    let at = 0;
    return bytes
      .toString("utf8")
      .split("\n")
      .filter(Boolean)
      .map((text) => {
        const line = parseLine(this.#source, text, at); // what has no time of its own stays behind its forerunner
        at = line.at;
        return line;
      });
  }

  #fresh(): Buffer {
    let fd: number;
    try {
      fd = openSync(this.#path, "r");
    } catch {
      return Buffer.alloc(0); // removed with its cluster
    }
    try {
      const parts: Buffer[] = [];
      if (fstatSync(fd).size < this.#offset) this.#offset = 0; // begun anew
      for (;;) {
        const part = Buffer.alloc(chunkBytes);
        const count = readSync(fd, part, 0, chunkBytes, this.#offset);
        if (count === 0) return Buffer.concat(parts);
        this.#offset += count;
        parts.push(part.subarray(0, count));
      }
    } finally {
      closeSync(fd);
    }
  }
}

interface Source {
  /** `n1`, `policy-a1b2`, `up`, `nats` */
  source: string;
  path: string;
}

function logFiles(stateDir: string): Source[] {
  const folder = join(stateDir, "logs");
  const own = list(folder).filter((name) => name.endsWith(".log"));
  const nats = natsDirs(join(stateDir, "nats")).filter(({ path }) => existsSync(path));
  return [
    ...own.map((name) => ({ source: name.replace(/^node-/, "").slice(0, -4), path: join(folder, name) })),
    ...nats,
  ];
}

/** Of several servers, the first one's is in the folder itself. */
const natsDirs = (dir: string): Source[] => [
  { source: "nats", path: join(dir, "nats.log") },
  ...list(dir)
    .filter((name) => name.startsWith("server-"))
    .map((name) => ({ source: name.replace("server", "nats"), path: join(dir, name, "nats.log") })),
];

/** n2 also means its later lives n2-1, n2-2; an actor's file is `<name or definition>-<id>`. */
const matches = (source: string, wanted: string) =>
  source === wanted || source.startsWith(`${wanted}-`) || source.endsWith(`-${wanted}`);

function refuse(wanted: string | undefined, stateDir: string, { follow }: LogsOptions): void {
  const known = logFiles(stateDir).map(({ source }) => source);
  if (wanted === undefined || (known.length === 0 && !follow)) {
    throw new ActorsError("NOT_FOUND", "there are no logs in this folder", {
      hint: "`actors up` starts a cluster, which writes them.",
    });
  }
  const guess = nearest(wanted, known);
  throw new UsageError(`there is no log of ${wanted}${guess ? `: did you mean ${guess}?` : ""}`, {
    hint: `Logs: ${known.sort().join(", ")}.`,
  });
}

/** Of the cluster that is found from here, else of this folder. */
function stateDirOf(cwd: string): string {
  const file = findClusterFile(cwd);
  return file ? dirname(file) : join(cwd, stateDirName);
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
