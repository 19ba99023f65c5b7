import type { ObjectLook, ObjectsLook } from "../cluster/introspection.js";
import { join } from "../join.js";
import { bytes, columns, plain, took } from "./text.js";

/** @throws ActorsError UNAVAILABLE when no cluster runs here */
export async function objects(): Promise<ObjectsLook> {
  await using system = await join({ required: true });
  return await system.introspection().objects();
}

export function renderObjects({ objects, silent }: ObjectsLook, now = Date.now()): string {
  const rows = objects.map((object) => [
    object.id,
    bytes(object.bytes),
    object.where,
    object.use,
    took(Math.max(0, now - object.createdAt)),
    `${object.ownedBy} on ${placeOf(object)}`,
    object.readers.map(placeOf).join(", ") || "-",
  ]);
  const lines = columns([["OBJECT", "SIZE", "WHERE", "USE", "AGE", "OWNER", "READERS"], ...rows]);
  if (objects.length === 0)
    lines.splice(0, 1, "no objects: what actors put, and arguments and results from 256 KiB, show here");
  const total = (where: ObjectLook["where"]) =>
    objects.reduce((sum, object) => sum + (object.where === where ? object.bytes : 0), 0);
  if (objects.length > 0)
    lines.push(
      "",
      `${objects.length} object${objects.length === 1 ? "" : "s"}, ${bytes(total("memory"))} in memory, ${bytes(total("disk"))} on disk`,
    );
  if (silent.length > 0) lines.push("", `no answer from ${silent.join(", ")}: what they own is missing here`);
  return `${lines.map(plain).join("\n")}\n`;
}

const placeOf = ({ node, pid }: { node: string; pid: number }) => `${node || "client"}/${pid}`;
