import { type ChildProcess, fork } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { actors } from "#protos";
import { ActorsError, fromFailure } from "../core/errors.js";
import { withDeadline } from "../core/wait.js";
import { type ActorRecord, label } from "../directory/directory.js";
import { deathOf, oomKillsSoFar, tailOf } from "./death.js";
import type { Hosted, OnExit } from "./hosted.js";

const startMs = 60_000;
const stopMs = 8_000;
const main = fileURLToPath(new URL("./process-main.js", import.meta.url));

/** What the parent says: `start` once, then `stop`. */
export type ToWorker = { start: Uint8Array; node: string } | { stop: string };
export type FromWorker = { started: string } | { failed: Uint8Array };

/**
 * One actor in a process of its own. Its output goes to a log file; its end is seen at once, with signal and last lines.
 * The child leaves by itself when this process is gone.
 */
export async function startProcess(
  record: ActorRecord,
  env: { clusterFile: string; workerFile: string; logsDir: string; leaseFile: string; ledger: string | undefined },
  onExit: OnExit,
): Promise<Hosted> {
  mkdirSync(env.logsDir, { recursive: true });
  const file = join(env.logsDir, `${record.name || record.def}-${record.id}.log`);
  const log = openSync(file, "a");
  const child = fork(main, [], {
    env: {
      ...process.env,
      ACTORS_CLUSTER: env.clusterFile,
      ACTORS_WORKER: env.workerFile,
      ACTORS_LEASE: env.leaseFile,
      CUDA_VISIBLE_DEVICES: record.devices.join(","), // a library that takes what it sees takes nobody else's GPUs
      ...(env.ledger !== undefined && { ACTORS_OBJECT_LEDGER: env.ledger }),
    },
    serialization: "advanced",
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  const oomKillsBefore = oomKillsSoFar();
  let running = false;
  let stopping = false;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const endpoint = await withDeadline(
    new Promise<string>((resolve, reject) => {
      child.on("message", (message: FromWorker) => {
        if ("started" in message) resolve(message.started);
        else reject(fromFailure(actors.v1.Failure.decode(message.failed)));
      });
      child.once("error", (cause) =>
        reject(new ActorsError("START_FAILED", `no process for ${label(record)}: ${cause.message}`, { cause })),
      );
      child.once("exit", (code, signal) => {
        const oomKills = oomKillsBefore === undefined ? undefined : oomKillsSoFar()! - oomKillsBefore;
        const failure = deathOf(label(record), file, { code, signal, tail: tailOf(file), oomKills });
        // With an exit code it ended itself, and would again; a signal came from outside.
        reject(code === null ? failure : notStarted(record, failure));
        if (running && !stopping) onExit(failure);
      });
      say(child, { start: actors.v1.ActorRecord.encode(record).finish(), node: record.node });
    }),
    startMs,
    `the start of ${label(record)}`,
  ).catch((error: unknown) => {
    stopping = true;
    child.kill("SIGKILL");
    throw error;
  });
  running = true;
  return {
    endpoint,
    pid: child.pid!,
    async stop(reason) {
      stopping = true;
      say(child, { stop: reason });
      const late = setTimeout(() => child.kill("SIGKILL"), stopMs);
      await exited;
      clearTimeout(late);
    },
  };
}

function say(child: ChildProcess, message: ToWorker): void {
  if (child.connected) child.send(message, () => {}); // a failed send means that it exits, which is seen there
}

function notStarted(record: ActorRecord, { rawMessage, details, hint }: ActorsError): ActorsError {
  return new ActorsError("START_FAILED", `actor ${label(record)} did not start: ${rawMessage}`, { details, hint });
}
