import type { BulkUse } from "../core/bulk.js";
import { Cell } from "../core/cell.js";
import { type ActorDef, defineActor } from "../core/definition.js";
import type { Endpoint } from "../core/endpoint.js";
import { type Caller, type Handle, makeHandle } from "../core/handle.js";
import { type EndpointId, objectsActorId } from "../core/ids.js";
import type { Source } from "./exchange.js";
import type { Place } from "./segment.js";
import type { Taker } from "./spread.js";
import type { ObjectStore } from "./store.js";

/** An object as its owner tells. */
export interface HeldObject {
  id: string;
  owner: string;
  use: Use;
  bytes: number;
  where: "memory" | "disk";
  /** Unix milliseconds. */
  createdAt: number;
}

export type Use = "put" | BulkUse;

/** What one process or thread has. */
export interface Holding {
  /** Empty for a client. */
  node: string;
  pid: number;
  own: HeldObject[];
  /** Ids of objects, its own and others', whose memory it can read now. */
  mapped: string[];
  /** Bytes that other hosts pulled from here. */
  given: number;
}

/** What the owner of objects tells others: one on each endpoint. */
class ObjectsActor {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** @throws ActorsError NOT_FOUND when it was freed */
  locate(id: string): Place {
    return this.#store.place(id);
  }

  /** For another host. @throws ActorsError NOT_FOUND, UNAVAILABLE */
  serve(id: string, taker: Taker): Promise<Source> {
    return this.#store.exchange.serve(id, taker);
  }

  /** A taker that was served no longer is. */
  ended(id: string, taker: Taker, holds: boolean): void {
    this.#store.exchange.ended(id, taker, holds);
  }

  /** For others of this host. @throws ActorsError NOT_FOUND */
  copied(id: string): Promise<Place | undefined> {
    return this.#store.exchange.copied(id);
  }

  /** One message that carried it needs it no more. */
  release(id: string): void {
    this.#store.release(id);
  }

  free(id: string): void {
    this.#store.drop(id);
  }

  list(): Holding {
    return this.#store.list();
  }
}

const again = ["locate", "serve", "ended", "copied", "free", "list"] as const;
const def = defineActor({
  name: "$objects",
  module: import.meta.url,
  class: ObjectsActor,
  shared: [...again, "release"],
  idempotent: again,
});

export function hostObjectsActor(endpoint: Endpoint, store: ObjectStore): void {
  const at = { id: objectsActorId(endpoint.id), epoch: 0, def: def as never };
  endpoint.server.host(new Cell(at, new ObjectsActor(store), () => {}));
}

export function objectsHandle(caller: Caller, endpoint: EndpointId): Handle<ObjectsActor> {
  return makeHandle(caller, objectsActorId(endpoint), def as ActorDef<ObjectsActor, never>);
}
