import { randomBytes } from "node:crypto";

declare const brand: unique symbol;
type Branded<B extends string> = string & { readonly [brand]: B };

export type ActorId = Branded<"actor">;
/** A process or worker thread that sends and receives frames. */
export type EndpointId = Branded<"endpoint">;

/** Whom an endpoint belongs to: the cluster's own processes, a job's worker, or a program that joined. */
export const roles = ["control", "worker", "client"] as const;
export type Role = (typeof roles)[number];

/** The first letter of an endpoint's id. */
export const roleLetters: Record<Role, string> = { control: "k", worker: "w", client: "c" };

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

/** `prefix` and 12 random characters (62 bits): short on the wire, safe in a NATS subject and KV key. */
export function newId(prefix: string): string {
  let id = prefix;
  for (const byte of randomBytes(12)) id += alphabet[byte % 36];
  return id;
}
export const newActorId = () => newId("a") as ActorId;
/** Else it is an endpoint: whatever owns something is one of the two. */
export const isActorId = (id: string): id is ActorId => id.startsWith("a");
export const newEndpointId = (role: Role) => newId(roleLetters[role]) as EndpointId;
export const isOfRole = (endpoint: EndpointId, role: Role) => endpoint[0] === roleLetters[role];

export const coordinatorId = "$coordinator" as ActorId;
/** What tells of an endpoint; each hosts its own. */
export const endpointActorId = (endpoint: EndpointId) => `$endpoint.${endpoint}` as ActorId;
/** What gives out the objects of an endpoint. */
export const objectsActorId = (endpoint: EndpointId) => `$objects.${endpoint}` as ActorId;
/** The endpoint in such an id. */
export const endpointOf = (id: ActorId) =>
  /^\$(?:endpoint|objects)\./.test(id) ? (id.slice(id.indexOf(".") + 1) as EndpointId) : undefined;
/** The control actor of a node agent; it lives on the agent's endpoint. */
export const agentId = (node: string) => `$agent.${node}` as ActorId;
