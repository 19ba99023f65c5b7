import { existsSync } from "node:fs";
import { ActorsError } from "../core/errors.js";
import type { ObjectRef } from "./ref.js";

export const freed = (id: string) => new ActorsError("NOT_FOUND", `there is no object ${id}: it was freed`);

export const ownerOf = ({ state: { owner, node, place } }: ObjectRef) =>
  `${owner} (${node ? `node ${node}` : "a client"}${place ? `, process ${place.pid}` : ""})`;

/** A process of this host. Of one that has ended and only waits to be collected, the program is gone already. */
export const processEnded = (pid: number) => !existsSync(`/proc/${pid}/exe`);

export const lost = (ref: ObjectRef, cause?: unknown) =>
  new ActorsError("OBJECT_LOST", `object ${ref.id} is lost: its owner ${ownerOf(ref)} has ended`, {
    cause,
    hint: "Objects end with the process that put them: put it again, or from an actor that lives longer.",
    details: { object: ref.id, owner: ref.owner },
  });
