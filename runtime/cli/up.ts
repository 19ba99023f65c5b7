import { basename, join, relative } from "node:path";
import { type Cluster, startCluster } from "../cluster/start.js";
import { clusterFileIn, joinFileIn, stateDirName } from "../cluster/state.js";
import { isActorsError } from "../core/errors.js";
import { withDeadline } from "../core/wait.js";
import { serversOf } from "../transport/nats.js";
import { chooseFace, type Face, type Outcome } from "./faces.js";
import { forcefully } from "./force.js";
import type { JobContext, JobResult } from "./job.js";
import type { Plan, UpOptions } from "./plan.js";
import { exitCodes } from "./usage.js";

/** The time a job has to return after Ctrl-C; then the cluster goes down under it. */
const drainMs = 15_000;
/** Events that a person wants to read; the rest shows in the table and in `actors logs`. */
const told = new Set([
  "node-dead",
  "node-held",
  "node-held",
  "node-up",
  "actor-died",
  "actor-restarted",
  "actor-failed",
  "tell-failed",
  "coordinator",
  "nats-restarted",
  "bundle",
]);

/** Starts a cluster for this folder, runs the job on it, and takes everything down again. @returns the exit code */
export async function up(options: UpOptions, what: Plan, out: NodeJS.WriteStream): Promise<number> {
  const cwd = process.cwd();
  const stateDir = join(cwd, stateDirName);
  const face = chooseFace(out, options.json === true);
  const interrupts = forcefully(clusterFileIn(stateDir), face);
  let broken: unknown;
  const fatal = (error: unknown) => {
    broken ??= error;
    interrupts.stop("a failure");
  };
  process.on("uncaughtException", fatal);
  const { signal } = interrupts;
  signal.addEventListener("abort", () => face.stopping(`stopping: ${signal.reason}`), { once: true });
  let cluster: Cluster | undefined;
  try {
    cluster = await startCluster({
      nodes: what.nodes,
      servers: what.servers,
      tls: what.tls,
      offers: what.offers,
      objects: what.objects,
      autoscale: what.autoscale,
      stateDir,
      ...(options.listen !== undefined && { listen: options.listen }),
      ...(what.spares !== undefined && { spares: what.spares }),
      ...(options.port !== undefined && { port: options.port }),
      onStep: (text, ms) => face.step(text, ms),
      signal,
    }).catch((error: unknown) => {
      if (signal.aborted && isActorsError(error, "CANCELLED")) return undefined;
      throw error;
    });
    const outcome = cluster
      ? await runOn(cluster, what, { options, cwd, face, signal })
      : { ok: true, summary: [], stopped: String(signal.reason), seconds: 0 };
    await cluster?.stop(outcome.stopped ?? "the job has ended");
    cluster = undefined;
    if (broken) throw broken;
    face.end(outcome);
    return interrupts.exitCode ?? (outcome.ok ? exitCodes.ok : exitCodes.failed);
  } finally {
    await cluster?.stop("a failure");
    face.close();
    interrupts.close();
    process.off("uncaughtException", fatal);
  }
}

async function runOn(
  cluster: Cluster,
  what: Plan,
  { options, cwd, face, signal }: { options: UpOptions; cwd: string; face: Face; signal: AbortSignal },
): Promise<Outcome> {
  const started = performance.now();
  face.up(cluster.system, titleOf(what, options));
  if (options.listen !== undefined) {
    const file = relative(cwd, joinFileIn(cluster.credential.stateDir));
    face.line(`on another machine: actors join ${serversOf(cluster.credential.url)[0]} --credential ${basename(file)}`);
    face.line(`with a copy of ${file}, which is a secret: who has it may do anything in this cluster`);
    if (!what.tls) face.line("what goes between machines is not encrypted: --tls encrypts it");
  }
  const unhear = cluster.onEvent((event) => told.has(event.kind) && face.event(event));
  process.send?.({ up: cluster.file }); // to the one who detached us
  const context: JobContext = {
    ...what.input,
    system: cluster.system,
    signal,
    debug: options.debug === true,
    progress: (progress) => face.progress(progress),
    line: (text) => face.line(text),
  };
  try {
    const { job } = what;
    const result = await (job && !signal.aborted ? untilDrained(job.run(context), signal) : untilStopped(signal));
    return { ...result, stopped: signal.aborted ? String(signal.reason) : null, seconds: secondsSince(started) };
  } finally {
    unhear();
  }
}

/** The job's own end; after the signal only as long as draining may take. What it throws then is no failure. */
async function untilDrained(job: Promise<JobResult>, signal: AbortSignal): Promise<JobResult> {
  job.catch(() => {}); // also awaited below, unless the deadline comes first
  await Promise.race([job, untilStopped(signal)]);
  if (!signal.aborted) return job;
  return withDeadline(job, drainMs, "draining").catch(() => ({ ok: false, summary: [] }));
}

function untilStopped(signal: AbortSignal): Promise<JobResult> {
  return new Promise((resolve) => {
    const stop = () => resolve({ ok: true, summary: [] });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

function titleOf({ job, nodes, file }: Plan, { seed, resume }: UpOptions): string {
  const parts = [job?.name ?? "idle", `${nodes} node${nodes === 1 ? "" : "s"}`];
  if (seed !== undefined) parts.push(`seed ${seed}`);
  if (resume !== undefined) parts.push(`resuming ${resume}`);
  if (file) parts.push(relative(process.cwd(), file) || file);
  return parts.join(" · ");
}

const secondsSince = (started: number) => Math.round((performance.now() - started) / 100) / 10;
