import { Cell } from "../core/cell.js";
import { defineActor } from "../core/definition.js";
import type { Endpoint } from "../core/endpoint.js";
import { type Caller, type Handle, reviveHandle } from "../core/handle.js";
import { type EndpointId, objectsActorId } from "../core/ids.js";
import type { Place } from "./segment.js";
import type { Holding, ObjectStore } from "./store.js";

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

  free(id: string): void {
    this.#store.drop(id);
  }

  list(): Holding {
    return this.#store.list();
  }
}

const methods = ["locate", "free", "list"] as const;
const def = defineActor({
  name: "$objects",
  module: import.meta.url,
  class: ObjectsActor,
  shared: methods,
  idempotent: methods,
});

export function hostObjectsActor(endpoint: Endpoint, store: ObjectStore): void {
  const at = { id: objectsActorId(endpoint.id), epoch: 0, def: def as never };
  endpoint.server.host(new Cell(at, new ObjectsActor(store), () => {}));
}

export function objectsHandle(caller: Caller, endpoint: EndpointId): Handle<ObjectsActor> {
  const state = { id: objectsActorId(endpoint), def: def.name, methods: [] };
  return reviveHandle(caller, state) as unknown as Handle<ObjectsActor>;
}
