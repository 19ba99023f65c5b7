export { localSystem } from "./cluster/local.js";
export type { CallContext } from "./core/cell.js";
export {
  type ActorDef,
  type ActorSpec,
  defineActor,
  type Hosting,
  type MethodName,
  type ProtoType,
  type WireEntry,
} from "./core/definition.js";
export { ActorsError, type Code, type ErrorOptions, isActorsError } from "./core/errors.js";
export type { Group } from "./core/group.js";
export type { CallOptions, Handle, StreamMethod, UnaryMethod } from "./core/handle.js";
export { type Logger, makeLogger } from "./core/log.js";
export { isMain } from "./core/main.js";
export type { ClusterInfo } from "./core/runtime.js";
export { pause, withDeadline } from "./core/wait.js";
export type { Crash } from "./directory/directory.js";
export type { ActorContext, ActorHooks } from "./hosting/instance.js";
export { type JoinOptions, join } from "./join.js";
export { ObjectRef } from "./objects/ref.js";
export type { RestartOptions, SpawnOptions } from "./spawn.js";
export {
  type ActorInfo,
  ActorSystem,
  type NodeInfo,
  type SystemEvent,
} from "./system.js";
export { MemoryNetwork } from "./transport/memory.js";
export type { LifecycleEvent } from "./watch.js";
