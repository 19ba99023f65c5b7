import { setMaxListeners } from "node:events";
import { emit } from "../cluster/events.js";
import { type CallContext, Cell } from "../core/cell.js";
import { decodeWith } from "../core/codec.js";
import { loadDef } from "../core/definition.js";
import { ActorsError } from "../core/errors.js";
import { type Handle, makeHandle, reviveHandle } from "../core/handle.js";
import type { ActorId } from "../core/ids.js";
import type { Logger } from "../core/log.js";
import type { Runtime } from "../core/runtime.js";
import { withDeadline } from "../core/wait.js";
import { type ActorRecord, label } from "../directory/directory.js";
import { ActorSystem } from "../system.js";
import { TellFailures } from "./tell-failures.js";

/** What an actor may know and use; given to `onStart`. */
export interface ActorContext<A extends object = object> {
  readonly self: Handle<A>;
  readonly id: string;
  readonly name: string;
  /** Incarnation: 1 at first, one more at each restart. */
  readonly epoch: number;
  readonly node: string;
  /** Spawns children of this actor. */
  readonly system: ActorSystem;
  readonly log: Logger;
  /** Aborts when the actor stops. */
  readonly signal: AbortSignal;
  /** The call whose handler is starting; read it before the first await. */
  readonly call: CallContext;
}

/** An actor living on an endpoint of this process. */
export interface Instance {
  stop(reason: string): Promise<void>;
}

const drainMs = 5_000;

/**
 * Constructs the actor, runs its onStart, and lets calls in.
 * @throws ActorsError START_FAILED with the thrown value as cause
 */
export async function instantiate(runtime: Runtime, record: ActorRecord): Promise<Instance> {
  const { endpoint } = runtime;
  const def = await loadDef(record.def, record.module);
  const id = record.id as ActorId;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const log = runtime.log.child({ actor: label(record), epoch: record.epoch });
  const tells = new TellFailures((text) => {
    log.warn(text);
    emit(runtime.bus, "tell-failed", id, `${label(record)}: ${text}`);
  });
  let instance: Hooks;
  let cell: Cell | undefined;
  try {
    const args = decodeWith(record.args, (state) => reviveHandle(endpoint.calls, state)) as unknown[];
    instance = new def.class(...args) as Hooks;
    cell = new Cell({ id, epoch: record.epoch, def, mailbox: record.mailbox }, instance, (call, error) => {
      log.debug({ err: error, method: call.method }, "handler threw");
      if (call.oneWay) tells.failed(call.method, error);
    });
    const hosted = cell;
    const context: ActorContext = {
      self: makeHandle(endpoint.calls, id, def as never),
      id,
      name: record.name,
      epoch: record.epoch,
      node: record.node,
      system: new ActorSystem(runtime, id, { signal: stopping.signal }),
      log,
      signal: stopping.signal,
      get call() {
        return hosted.current;
      },
    };
    await instance.onStart?.(context);
  } catch (cause) {
    throw new ActorsError(
      "START_FAILED",
      `actor ${label(record)} did not start: ${(cause as Error)?.message ?? cause}`,
      { cause },
    );
  }
  endpoint.server.host(cell);
  return {
    async stop(reason) {
      endpoint.server.unhost(id);
      stopping.abort(new ActorsError("ACTOR_STOPPED", reason));
      // What has not begun goes back to its callers: the directory says whether the actor ended or lives on elsewhere.
      const drained = cell.stop(new ActorsError("NOT_HERE", `actor ${label(record)} was stopped: ${reason}`));
      await withDeadline(drained, drainMs, `the handlers of ${label(record)}`).catch(() => {}); // late ones are left behind
      tells.close();
      await instance.onStop?.(reason);
    },
  };
}

interface Hooks {
  onStart?(context: ActorContext): unknown;
  onStop?(reason: string): unknown;
}
