// Who may do what on NATS. nats-server enforces it: each role is a user of its own, known by its public key.
import { backTopic, type NatsKey, newNatsKey, type Role, roles } from "../transport/nats.js";
import { clientTopic, eventTopic, heartbeatTopic } from "./protocol.js";

export type Keys = Record<Role, NatsKey>;

export const newKeys = () => Object.fromEntries(roles.map((role) => [role, newNatsKey()])) as Keys;

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

/** Of the roles that have limits. Control has none within the cluster's account; nobody uses the system account. */
export function permissionsOf(role: Exclude<Role, "control">, cluster: string): Permissions {
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
  const topics = [clientTopic, eventTopic, backTopic].map((topic) => `${cluster}.${topic}`);
  const inboxes = `${cluster}.i.*`;
  return {
    publish: [inboxes, ...topics, queueSubject(cluster, "*"), ...api("INFO"), ...read(directory), ...own[role]],
    subscribe: [inboxes, ...topics, `${cluster}.${heartbeatTopic}`, `_I.${role}.>`],
  };
}

/**
 * The part of nats-server's configuration that says who may connect. The system account has no users; without the two
 * accounts being named, server 2.9 lets anyone in who says nothing.
 */
export function accountsText(cluster: string, keys: Record<Role, { public: string }>): string {
  const users = roles.map((role) => {
    const limits = role === "control" ? "" : `, permissions: ${JSON.stringify(permissionsOf(role, cluster))}`;
    return `    { nkey: ${keys[role].public}${limits} }`;
  });
  const accounts = [
    "  SYS { users: [] }",
    "  ACTORS {",
    "    jetstream: enabled",
    "    users: [",
    ...users,
    "    ]",
    "  }",
  ];
  return ["system_account: SYS", "accounts {", ...accounts, "}"].join("\n");
}
