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
import { Keeper } from "./keeper.js";
import { Passivation } from "./passivation.js";
import { TellFailures } from "./tell-failures.js";

/** What an actor may know and use; given to `onStart`. */
export interface ActorContext<A extends object = object> {
  readonly self: Handle<A>;
  readonly id: string;
  readonly name: string;
  /** Incarnation: 1 at first, one more at each restart. */
  readonly epoch: number;
  readonly node: string;
  /** Ids of the GPUs handed out to it. In a process of its own they are also all that CUDA sees there, counted from 0. */
  readonly devices: readonly string[];
  /** Spawns children of this actor. */
  readonly system: ActorSystem;
  readonly log: Logger;
  /** Aborts when the actor stops. */
  readonly signal: AbortSignal;
  /**
   * Of an actor with `snapshot`: keeps its state as it is now, and resolves once that is safe. Without it, state is kept
   * a moment after a handler ran, and at the actor's end. @throws ActorsError UNAVAILABLE, OVERLOADED (too large)
   */
  save(): Promise<void>;
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
  const stopping = new Stopping();
  // There may be 100,000 of them: nothing here holds on to the record, and what few actors need is made when they do.
  const { epoch } = record;
  const what = label(record);
  let logger: Logger | undefined;
  const log = () => {
    logger ??= runtime.log.child({ actor: what, epoch });
    return logger;
  };
  const tells = new TellFailures((text) => {
    log().warn(text);
    emit(runtime.bus, "tell-failed", id, `${what}: ${text}`);
  });
  let instance: ActorHooks;
  let cell: Cell | undefined;
  let keeper: Keeper | undefined;
  let passivation: Passivation | undefined;
  try {
    const args = decodeWith(record.args, { handle: (state) => reviveHandle(endpoint.calls, state) }) as unknown[];
    instance = new def.class(...args) as ActorHooks;
    cell = new Cell({ id, epoch: record.epoch, def, mailbox: record.mailbox }, instance, (call, error) => {
      log().debug({ err: error, method: call.method }, "handler threw");
      if (call.oneWay) tells.failed(call.method, error);
    });
    const hosted = cell;
    const context: ActorContext = {
      self: makeHandle(endpoint.calls, id, def as never),
      id,
      name: record.name,
      epoch: record.epoch,
      node: record.node,
      devices: record.devices,
      system: new ActorSystem(runtime, id, stopping),
      get log() {
        return log();
      },
      get signal() {
        return stopping.signal;
      },
      async save() {
        if (keeper) return keeper.save();
        throw new ActorsError("INVALID_ARGUMENT", `${def.name} has no snapshot() to keep`);
      },
      get call() {
        return hosted.current;
      },
    };
    if (def.snapshotMs !== undefined) {
      const { snapshots } = runtime;
      const state = await snapshots.load(id);
      if (state) await instance.restore!(decodeWith(state, { handle: (each) => reviveHandle(endpoint.calls, each) }));
      const at = { id, epoch, what };
      const made = instance;
      keeper = new Keeper(at, { snapshots, take: () => made.snapshot!(), everyMs: def.snapshotMs, cell, log: log() });
      cell.onHandled = () => {
        keeper!.touched();
        passivation?.touched();
      };
    }
    await instance.onStart?.(context);
  } catch (cause) {
    runtime.objects.dropOf(id);
    throw new ActorsError("START_FAILED", `actor ${what} did not start: ${(cause as Error)?.message ?? cause}`, {
      cause,
    });
  }
  endpoint.server.host(cell);
  const afterMs = record.passivateAfterMs;
  const woken = record.rested > 0;
  if (keeper && afterMs > 0) passivation = new Passivation({ afterMs, woken, cell, keeper, runtime, log: log() });
  return {
    async stop(reason) {
      const rests = await passivation?.stop();
      endpoint.server.unhost(id);
      stopping.abort(new ActorsError("ACTOR_STOPPED", reason));
      // What has not begun goes back to its callers: the directory says whether the actor ended or lives on elsewhere.
      const drained = rests
        ? Promise.resolve()
        : cell.stop(new ActorsError("NOT_HERE", `actor ${what} was stopped: ${reason}`));
      await withDeadline(drained, drainMs, `the handlers of ${what}`).catch(() => {}); // late ones are left behind
      tells.close();
      await keeper?.close();
      await Promise.resolve(instance.onStop?.(reason)).finally(() => runtime.objects.dropOf(id));
    },
  };
}

/** Tells that an actor stops. A signal takes 2 KiB, so it is made when someone first asks. */
class Stopping {
  #controller: AbortController | undefined;
  #reason: ActorsError | undefined;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      setMaxListeners(0, this.#controller.signal);
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: ActorsError): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** What an actor's class may have beside its methods. None of them can be called from outside. */
export interface ActorHooks {
  /** Before any call. What it throws fails the start. */
  onStart?(context: ActorContext): unknown;
  /** After the last one, when the actor is stopped in good order. */
  onStop?(reason: string): unknown;
  /** The state to keep, of anything that a message may hold. Runs between exclusive handlers. */
  snapshot?(): unknown;
  /** Gets what `snapshot` gave last to any incarnation, before `onStart`. Not called when there is none. */
  restore?(state: unknown): unknown;
}
