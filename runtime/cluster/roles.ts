// Who may do what on NATS. nats-server enforces it: each identity's token says it.
import { type EndpointId, type Role, roleLetters } from "../core/ids.js";
import { answersTo, backSubject, inboxSubject } from "../transport/nats.js";
import { clientTopic, eventTopic, heartbeatTopic } from "./protocol.js";

export const bucketOf = (cluster: string) => `dir-${cluster}`;
export const snapshotsOf = (cluster: string) => `state-${cluster}`;
export const bundlesOf = (cluster: string) => `bundles-${cluster}`;
/** A work queue for everyone: what is published under `queueSubject` stays until the consumer of its subject acknowledges it. */
export const queueOf = (cluster: string) => `queue-${cluster}`;
export const queueSubject = (cluster: string, name: string) => `${cluster}.queue.${name}`;

interface Permissions {
  publish: string[];
  subscribe: string[];
}

const api = (...calls: string[]) => calls.map((call) => `$JS.API.${call}`);
const look = (stream: string) =>
  api(`STREAM.INFO.${stream}`, `STREAM.MSG.GET.${stream}`, `DIRECT.GET.${stream}`, `DIRECT.GET.${stream}.>`);
const read = (stream: string) => [
  ...look(stream),
  ...api(`CONSUMER.CREATE.${stream}`, `CONSUMER.CREATE.${stream}.>`, `CONSUMER.DELETE.${stream}.*`),
  ...api(`CONSUMER.INFO.${stream}.*`),
  `$JS.FC.${stream}.>`,
];

/**
 * Of the roles that have limits. Control has none within the cluster's account; nobody uses the system account.
 * A worker sends and hears as itself alone, a client as any client.
 */
export function permissionsOf(who: {
  role: Exclude<Role, "control">;
  endpoint: EndpointId | undefined;
  cluster: string;
}): Permissions {
  const { role, endpoint = "*", cluster } = who;
  const letter = roleLetters[role];
  const directory = `KV_${bucketOf(cluster)}`;
  const queue = queueOf(cluster);
  const bundles = `OBJ_${bundlesOf(cluster)}`;
  const own: Record<typeof role, string[]> = {
    worker: [...look(`KV_${snapshotsOf(cluster)}`), `$KV.${snapshotsOf(cluster)}.>`],
    client: [
      ...read(bundles),
      ...api("STREAM.NAMES", `STREAM.PURGE.${bundles}`), // the client library looks for an object store by its subjects
      `$O.${bundlesOf(cluster)}.>`,
      ...read(queue),
      ...api(`CONSUMER.DURABLE.CREATE.${queue}.*`, `CONSUMER.MSG.NEXT.${queue}.*`, `STREAM.PURGE.${queue}`),
      `$JS.ACK.${queue}.>`,
    ],
  };
  const topics = [clientTopic, eventTopic].map((topic) => `${cluster}.${topic}`);
  const sends = [inboxSubject(cluster, "*", "*", letter, endpoint), backSubject(cluster, letter, endpoint)];
  const hears = [inboxSubject(cluster, letter, endpoint, "*", "*"), backSubject(cluster, "*", "*")];
  return {
    publish: [...sends, ...topics, queueSubject(cluster, "*"), ...api("INFO"), ...read(directory), ...own[role]],
    subscribe: [...hears, ...topics, `${cluster}.${heartbeatTopic}`, `${answersTo(who)}.>`],
  };
}
