import { actors } from "#protos";
import { ActorsError, fromFailure } from "../core/errors.js";
import { withDeadline } from "../core/wait.js";
import { type ActorRecord, label } from "../directory/directory.js";
import { deathOf, oomKillsSoFar, tailOf } from "./death.js";
import type { Hosted, OnExit } from "./hosted.js";
import { endWorker, type FromWorker, say, type Workers } from "./workers.js";

const startMs = 60_000;

/**
 * One actor in a process of its own. Its output goes to a log file; its end is seen at once, with signal and last lines.
 * The child leaves by itself when this process is gone.
 */
export async function startProcess(record: ActorRecord, workers: Workers, onExit: OnExit): Promise<Hosted> {
  const { child, log: file } = await workers.take(record);
  const oomKillsBefore = oomKillsSoFar();
  let running = false;
  let stopping = false;
  const endpoint = await withDeadline(
    new Promise<string>((resolve, reject) => {
      child.on("message", (message: FromWorker) => {
        if ("started" in message) resolve(message.started);
        else if ("failed" in message) reject(fromFailure(actors.v1.Failure.decode(message.failed)));
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
      say(child, { start: actors.v1.ActorRecord.encode(record).finish() });
    }),
    startMs,
    `the start of ${label(record)}`,
  ).catch((error: unknown) => {
    stopping = true;
    child.kill("SIGKILL");
    throw error;
  });
  running = true;
  workers.refill();
  return {
    endpoint,
    pid: child.pid!,
    stop(reason) {
      stopping = true;
      return endWorker(child, reason);
    },
  };
}

function notStarted(record: ActorRecord, { rawMessage, details, hint }: ActorsError): ActorsError {
  return new ActorsError("START_FAILED", `actor ${label(record)} did not start: ${rawMessage}`, { details, hint });
}
