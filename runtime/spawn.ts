import { actors } from "#protos";
import { encodeValue } from "./core/codec.js";
import type { ActorDef, Hosting } from "./core/definition.js";
import { ActorsError } from "./core/errors.js";
import { type HandleBase, idOf, methodMarks } from "./core/handle.js";
import { newActorId } from "./core/ids.js";
import type { ActorRecord } from "./directory/directory.js";

export interface RestartOptions {
  policy?: "on-failure" | "always" | "never";
  /** Restarts allowed within `withinMs`; one more and the actor has failed. Default 5 in 60 s. */
  max?: number;
  withinMs?: number;
  /** Delay of the second restart within `withinMs`, doubled each time up to 5 s, with jitter; the first comes at once. Default 50 ms. */
  backoffMs?: number;
  /** Once the actor has failed for good, its parent actor dies of that and is restarted by its own policy. */
  escalate?: boolean;
}

export interface SpawnOptions<Args extends unknown[]> {
  /** Constructor arguments; kept, and used again at a restart. */
  args?: Args;
  /** Letters, digits and `-_./=`. A second spawn under a live name fails with NAME_TAKEN. */
  name?: string;
  /** Owned by nobody: it outlives its creator, until `system.stop` or the end of the cluster. */
  detached?: boolean;
  hosting?: Hosting;
  cpus?: number;
  /** Whole GPUs, which are then its own, or a part of one (0.5). Their ids are in `ctx.devices`; a process sees only them. */
  gpus?: number;
  memoryMb?: number;
  /** What else a node offers, by `cluster.resources` of the configuration. */
  resources?: Record<string, number>;
  /** A node's id or slot (`n2`). */
  node?: string;
  /** That the node must have, by `cluster.labels` of the configuration. */
  labels?: Record<string, string>;
  /** Default "spread": to the node with the fewest actors; "pack": to the one with the most that still has room. */
  strategy?: "spread" | "pack";
  /** To the node of one of these actors if it has room, else to their host, else anywhere. */
  near?: readonly HandleBase[];
  /** Not to the nodes of these actors, unless only those have room. */
  away?: readonly HandleBase[];
  restart?: RestartOptions;
  /** Calls that may wait in the mailbox. Default 4,096. */
  mailbox?: number;
  /**
   * Without a call for so many milliseconds it becomes passive: its state is kept, its instance stopped, and what it took
   * (process, CPUs, GPUs) is free for others. The next call starts it again wherever there is room, and is answered
   * then. Only of a class with `snapshot` and `restore`. Default: the definition's; 0 is never.
   */
  passivateAfterMs?: number;
  timeoutMs?: number;
}

/** Of a group, among its members; the strict ones are kept to, or the group is not placed. */
export type GroupStrategy = "spread" | "pack" | "strict-spread" | "strict-pack";

export interface GroupOptions<Args extends unknown[]> extends Omit<SpawnOptions<Args>, "args" | "name" | "strategy"> {
  args?: (rank: number) => Args;
  strategy?: GroupStrategy;
}

const strategies: Record<GroupStrategy, actors.v1.Strategy> = {
  spread: actors.v1.Strategy.SPREAD,
  pack: actors.v1.Strategy.PACK,
  "strict-spread": actors.v1.Strategy.STRICT_SPREAD,
  "strict-pack": actors.v1.Strategy.STRICT_PACK,
};

const hostings: Record<Hosting, actors.v1.Hosting> = {
  inline: actors.v1.Hosting.INLINE,
  thread: actors.v1.Hosting.THREAD,
  process: actors.v1.Hosting.PROCESS,
};
const policies = {
  "on-failure": actors.v1.RestartPolicy.ON_FAILURE,
  always: actors.v1.RestartPolicy.ALWAYS,
  never: actors.v1.RestartPolicy.NEVER,
};
const maxIdleMs = 2 ** 31 - 1; // of a timer
const validName = /^[-\w/=]+(\.[-\w/=]+)*$/; // what a key of the directory may hold

/**
 * A new actor as it is asked for.
 * @param from who spawns it, and the name of its module for any node
 * @param gang the actors that it starts together with
 * @throws ActorsError INVALID_ARGUMENT for a name that cannot be one, gpus or passivateAfterMs
 */
export function newRecord<Args extends unknown[]>(
  def: ActorDef<object, Args>,
  options: Omit<SpawnOptions<Args>, "strategy"> & { strategy?: GroupStrategy },
  from: { owner: string; module: string },
  gang = { id: "", size: 0 },
): ActorRecord {
  const { restart, name = "", gpus = 0 } = options;
  if (options.name !== undefined && !validName.test(name)) {
    throw new ActorsError("INVALID_ARGUMENT", `${JSON.stringify(name)} cannot name an actor`, {
      hint: "Use letters, digits and -_/=, with dots between them.",
    });
  }
  if (gpus > 1 && !Number.isInteger(gpus)) {
    throw new ActorsError("INVALID_ARGUMENT", `gpus ${gpus}: only a part of one GPU, or whole ones, can be asked for`);
  }
  const passivateAfterMs = options.passivateAfterMs ?? def.passivateAfterMs;
  if (!(passivateAfterMs >= 0 && passivateAfterMs <= maxIdleMs)) {
    throw new ActorsError("INVALID_ARGUMENT", `passivateAfterMs ${passivateAfterMs} is not from 0 to ${maxIdleMs}`);
  }
  if (passivateAfterMs > 0 && def.snapshotMs === undefined) {
    throw new ActorsError("INVALID_ARGUMENT", `${def.name} cannot be passivated, for its state would be lost`, {
      hint: "Give its class `snapshot()` and `restore(state)`.",
    });
  }
  return new actors.v1.ActorRecord({
    id: newActorId(),
    name,
    def: def.name,
    module: from.module,
    hosting: hostings[options.hosting ?? def.hosting],
    needs: {
      cpus: options.cpus ?? 0,
      gpus,
      memoryMb: options.memoryMb ?? 0,
      custom: options.resources ?? {},
    },
    restart: {
      policy: policies[restart?.policy ?? "on-failure"],
      max: restart?.max ?? 5,
      withinMs: restart?.withinMs ?? 60_000,
      backoffMs: restart?.backoffMs ?? 50,
      escalate: restart?.escalate ?? false,
    },
    parent: options.detached ? "" : from.owner,
    args: encodeValue(options.args ?? []),
    wantNode: options.node ?? "",
    placement: {
      gang: gang.id,
      gangSize: gang.size,
      strategy: strategies[options.strategy ?? "spread"],
      labels: options.labels ?? {},
      near: options.near?.map(idOf) ?? [],
      away: options.away?.map(idOf) ?? [],
    },
    mailbox: options.mailbox ?? 0,
    keepsState: def.snapshotMs !== undefined,
    passivateAfterMs: Math.ceil(passivateAfterMs),
    methods: methodMarks(def as unknown as ActorDef),
  });
}
