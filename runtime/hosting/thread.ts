import { fileURLToPath } from "node:url";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { proxy, type Remote, releaseProxy, wrap } from "comlink";
import nodeEndpoint from "comlink/dist/esm/node-adapter.mjs";
import { actors } from "#protos";
import { ActorsError, fromFailure, toFailure } from "../core/errors.js";
import { type ActorId, type EndpointId, newEndpointId } from "../core/ids.js";
import type { Runtime } from "../core/runtime.js";
import { withDeadline } from "../core/wait.js";
import { type ActorRecord, label } from "../directory/directory.js";
import { boots } from "./boots.js";
import type { Hosted, OnExit } from "./hosted.js";
import { type FromThread, type ToThread, toPlain } from "./port.js";
import type { ThreadControl, ThreadData, ThreadSnapshots } from "./thread-main.js";

const startMs = 30_000;
const stopMs = 8_000;
const main = fileURLToPath(new URL("./thread-main.js", import.meta.url));

/** One actor in a worker thread. comlink carries control; frames go over a port of their own, relayed as bytes. */
export async function startThread(runtime: Runtime, record: ActorRecord, onExit: OnExit): Promise<Hosted> {
  const loaded = await boots.enter();
  const id = newEndpointId("worker");
  const frames = new MessageChannel();
  const control = new MessageChannel();
  const transport = runtime.openTransport(id);
  const data: ThreadData = {
    endpoint: id,
    maxBytes: transport.maxBytes,
    cluster: runtime.cluster,
    host: runtime.objects.host,
    token: runtime.objects.token,
    encrypts: runtime.objects.encrypts,
    ledger: runtime.objects.ledgerPath,
    frames: frames.port2,
    control: control.port2,
  };
  const worker = new Worker(main, { workerData: data, transferList: [frames.port2, control.port2] });
  const closeRelay = relay(runtime, transport, frames.port1);
  const thread: Remote<ThreadControl> = wrap<ThreadControl>(nodeEndpoint(control.port1));
  let ended = false;
  let running = false;
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  // A call through comlink never settles once the thread is gone, so its end is raced.
  const lost = new Promise<never>((_, reject) => {
    const fail = (cause: unknown, how: string) => {
      const code = running ? "ACTOR_DIED" : "START_FAILED";
      const failure = new ActorsError(code, `the thread of ${label(record)} ended: ${how}`, { cause });
      reject(failure);
      if (running && !ended) onExit(failure);
      ended = true;
    };
    worker.once("error", (error) => fail(error, (error as Error).message));
    worker.once("exit", (code) => !ended && fail(undefined, `exit code ${code}`));
  });
  lost.catch(() => {});
  const end = async () => {
    ended = true;
    thread[releaseProxy]();
    control.port1.close();
    await closeRelay();
    await worker.terminate();
  };
  void exited.then(closeRelay);
  void exited.then(loaded);
  try {
    const ready = Promise.race([thread.ready(), lost]).finally(loaded);
    await withDeadline(ready, startMs, `the thread of ${label(record)}`);
    const encoded = actors.v1.ActorRecord.encode(record).finish().slice();
    const start = thread.start(encoded, proxy(snapshotsFor(runtime, record)));
    const failed = await withDeadline(Promise.race([start, lost]), startMs, `the start of ${label(record)}`);
    if (failed) throw fromFailure(actors.v1.Failure.decode(failed));
  } catch (error) {
    await end();
    throw error;
  }
  running = true;
  return {
    endpoint: id,
    pid: process.pid,
    async stop(reason) {
      ended = true;
      await withDeadline(Promise.race([thread.stop(reason), exited]), stopMs, `the stop of ${label(record)}`).catch(
        () => {},
      );
      await end();
    },
  };
}

function snapshotsFor({ snapshots }: Runtime, record: ActorRecord): ThreadSnapshots {
  const id = record.id as ActorId;
  const failed = (error: unknown) => actors.v1.Failure.encode(toFailure(error)).finish().slice();
  return {
    load: () =>
      snapshots.load(id).then(
        (state) => (state ? { state: state.slice() } : {}),
        (error: unknown) => ({ failed: failed(error) }),
      ),
    save: (state) => snapshots.save(id, record.epoch, state).then(() => undefined, failed),
  };
}

/** Passes batches and places between the thread's port and this process. */
function relay(
  runtime: Runtime,
  transport: ReturnType<Runtime["openTransport"]>,
  port: MessagePort,
): () => Promise<void> {
  const asked = new Set<ActorId>();
  const say = (message: ToThread) => port.postMessage(message);
  const tellPlace = (id: ActorId) => say({ moved: id, at: toPlain(runtime.resolver.resolve(id)) });
  transport.onBatch((batch, from) => say({ batch: batch.slice(), from }));
  transport.onWay(({ open }) => say({ open }));
  const stop = runtime.resolver.onChange((id) => asked.has(id) && tellPlace(id));
  port.on("message", (message: FromThread) => {
    if ("batch" in message) return transport.send(message.to as EndpointId, message.batch);
    if ("event" in message) return runtime.bus.publish(message.topic, message.event);
    asked.add(message.resolve);
    tellPlace(message.resolve);
  });
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= (async () => {
      stop();
      port.close();
      await transport.close();
    })();
    return closed;
  };
}
