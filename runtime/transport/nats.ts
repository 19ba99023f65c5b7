// The one file that imports the NATS client, so that a change of client stays here.
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import {
  type ConnectionOptions,
  connect,
  createInbox,
  DebugEvents,
  ErrorCode,
  Events,
  type KV,
  type Msg,
  type NatsConnection,
  type NatsError,
  StorageType,
  type TlsOptions,
} from "nats";
import { ActorsError } from "../core/errors.js";
import type { EndpointId, Role } from "../core/ids.js";
import { pause } from "../core/wait.js";
import { natsSigner } from "./nkeys.js";
import { OneWay, type Receive, type Transport, type Way } from "./transport.js";

export type { JetStreamClient, JetStreamManager, JsMsg, KV, NatsConnection } from "nats";
export { AckPolicy, DeliverPolicy, DiscardPolicy, headers, RetentionPolicy, StorageType } from "nats";

/** Who a connection is, to the server: it allows no more than the token says. */
export interface Identity {
  role: Role;
  /** The only endpoint that a worker may be. */
  endpoint?: EndpointId;
  /** Signed by the cluster: the public key, and what its owner may do. */
  jwt: string;
  /** Secret: the private half of that key. It signs what the server asks, and never travels. */
  seed: string;
}

export interface NatsAddress extends Identity {
  /** Of each server of the cluster, separated by commas. */
  url: string;
  /** Of a cluster with TLS: the PEM of who signed its certificate; nothing else is trusted. */
  ca?: string | undefined;
  /** Prefix of every subject, so that clusters can share a server. */
  cluster: string;
}

/** Where answers of the server come; no one else hears them, but that all clients are one. */
export const answersTo = ({ role, endpoint }: { role: Role; endpoint?: EndpointId | undefined }) =>
  `_I.${endpoint ?? role}`;

/**
 * Where batches go: `CLUSTER.i.` and then of the receiver, and of the sender, the letter of its role and its id. The server lets
 * a worker publish as itself and a client as a client, so that who sends is known.
 */
export const inboxSubject = (cluster: string, to: string, toId: string, from: string, fromId: string) =>
  `${cluster}.i.${to}.${toId}.${from}.${fromId}`;

/** Where an endpoint says that it lost its server and has another. */
export const backSubject = (cluster: string, from: string, fromId: string) => `${cluster}.back.${from}.${fromId}`;

/** @returns undefined of a subject on which no one may be believed */
export function senderIn(subject: string): EndpointId | undefined {
  const at = subject.lastIndexOf(".") + 1;
  return subject[at] === subject[at - 2] ? (subject.slice(at) as EndpointId) : undefined;
}

export const serversOf = (url: string) => url.split(",");

const signatureOf = (nonce: string, seed: string) => natsSigner(seed).sign(Buffer.from(nonce)).toString("base64url");

const patienceMs = 5_000; // a server that died is started again meanwhile
const retryMs = 50;
const dialMs = 2_000; // one try; a server that dies while it greets is never heard of again

/**
 * Connects for good, to any of the servers: when that one is lost, to another, or every 20 ms until one is back.
 * @param options.waits for a server as long as it takes
 * @throws ActorsError UNAVAILABLE when the server refuses the key, or there is none for 5 s
 */
export async function connectNats(address: NatsAddress, name: string, { waits = false } = {}): Promise<NatsConnection> {
  for (const until = Date.now() + patienceMs; ; await pause(retryMs)) {
    try {
      return await connect({
        servers: serversOf(address.url),
        ignoreClusterUpdates: true, // the URL names all
        authenticator: (nonce) => ({ jwt: address.jwt, nkey: "", sig: signatureOf(nonce ?? "", address.seed) }),
        inboxPrefix: answersTo(address),
        name,
        ...(address.ca !== undefined && { tls: trust(address.ca, address.url) }),
        reconnectTimeWait: 20,
        reconnectJitter: 10,
        reconnectJitterTLS: 10,
        maxReconnectAttempts: -1,
        pingInterval: 2000,
        maxPingOut: 2,
        timeout: dialMs,
      });
    } catch (cause) {
      const { code, message } = cause as NatsError;
      const certificate = certificateError(cause);
      if (certificate) {
        throw new ActorsError("UNAVAILABLE", `${address.url} shows a certificate that is not trusted: ${certificate}`, {
          cause,
          hint: "A new start of a cluster has a new CA: use the .actors/join.json or cluster.json of this one.",
        });
      }
      if (code !== ErrorCode.AuthorizationViolation && (waits || Date.now() < until)) continue;
      throw new ActorsError("UNAVAILABLE", `cannot connect to NATS at ${address.url}: ${message}`, {
        cause,
        hint: "Is the cluster up? `actors ps` tells, `actors up` starts one.",
      });
    }
  }
}

/** Of the connection's role. */
export function newInbox(nc: NatsConnection): string {
  const { options } = nc as unknown as { options: ConnectionOptions };
  return createInbox(options.inboxPrefix);
}

/** The client library checks no addresses, only names. */
function trust(ca: string, url: string): TlsOptions {
  const hosts = serversOf(url).map((each) => new URL(each).hostname);
  const checks = (certificate: PeerCertificate) => hosts.map((host) => checkServerIdentity(host, certificate));
  const check = (_: string, certificate: PeerCertificate) => {
    const results = checks(certificate);
    return results.includes(undefined) ? undefined : results[0];
  };
  return { ca, checkServerIdentity: check } as TlsOptions;
}

/** What OpenSSL holds against the server's certificate, in its words. */
function certificateError(cause: unknown): string | undefined {
  for (let error = cause as NatsError | undefined; error; error = error.chainedError as NatsError | undefined)
    if (/CERT|ISSUER|LEAF_SIGNATURE/.test(String(error.code))) return error.message;
  return undefined;
}

/**
 * Whether someone allowed to published it there. What JetStream delivers carries a reply subject or headers, and goes
 * wherever the maker of a consumer, or whoever reads a message, says: the server does not check that.
 */
export const isSaid = ({ reply, headers }: Pick<Msg, "reply" | "headers">) => !reply && !headers;

export function onConnection(nc: NatsConnection, changed: (connected: boolean) => void): void {
  void (async () => {
    for await (const status of nc.status()) {
      if (status.type === Events.Disconnect || status.type === DebugEvents.StaleConnection) changed(false);
      else if (status.type === Events.Reconnect) changed(true);
    }
  })();
}

/** One inbox subject an endpoint, read by callback: an iterator costs four times as much. */
export class NatsTransport implements Transport {
  readonly maxBytes: number;
  readonly #nc: NatsConnection;
  readonly #cluster: string;
  readonly #id: EndpointId;
  readonly #way = new OneWay();
  readonly #subscriptions: { unsubscribe(): void }[] = [];

  /** @param url of all the servers */
  constructor(nc: NatsConnection, { cluster, url }: Pick<NatsAddress, "cluster" | "url">, id: EndpointId) {
    this.#nc = nc;
    this.#cluster = cluster;
    this.#id = id;
    this.maxBytes = (nc.info?.max_payload ?? 1 << 20) - 1024;
    onConnection(nc, (connected) => this.#way.changed(connected));
    if (serversOf(url).length > 1) this.#tellOfReturns(id);
  }

  /**
   * Where the other side has another server, what it missed while it was away is lost, and this link never broke. It
   * says so after its subscriptions, so that who hears of it is heard.
   */
  #tellOfReturns(id: EndpointId): void {
    const say = () => this.#nc.publish(backSubject(this.#cluster, id[0]!, id));
    const subscription = this.#nc.subscribe(backSubject(this.#cluster, "*", "*"), {
      callback: (error, message) => {
        const from = !error && isSaid(message) ? senderIn(message.subject) : undefined;
        if (from !== undefined && from !== id) this.#way.lost(from);
      },
    });
    this.#subscriptions.push(subscription);
    onConnection(this.#nc, (connected) => connected && say());
  }

  reaches(): boolean {
    return this.#way.open && !this.#nc.isClosed();
  }

  send(to: EndpointId, batch: Uint8Array): void {
    this.#nc.publish(inboxSubject(this.#cluster, to[0]!, to, this.#id[0]!, this.#id), batch);
  }

  onBatch(receive: Receive): void {
    const subscription = this.#nc.subscribe(inboxSubject(this.#cluster, this.#id[0]!, this.#id, "*", "*"), {
      callback: (error, message) => {
        const from = !error && isSaid(message) ? senderIn(message.subject) : undefined;
        if (from !== undefined) receive(message.data, from);
      },
    });
    this.#subscriptions.push(subscription);
  }

  onWay(changed: (way: Way) => void): void {
    this.#way.listen(changed);
  }

  onRoom(): void {} // the client takes all it is given

  async close(): Promise<void> {
    for (const each of this.#subscriptions) each.unsubscribe();
    if (this.reaches()) await this.#nc.flush().catch(() => {});
  }
}

const makeMs = 5_000;
const answerMs = 2_000; // a server that starts again may take a request and never answer it

/** Creates the bucket on disk, so that it outlives a restart of the server. */
export async function makeKv(nc: NatsConnection, bucket: string, replicas = 1): Promise<KV> {
  return nc.jetstream({ timeout: makeMs }).views.kv(bucket, { history: 1, storage: StorageType.File, replicas });
}

export async function openKv(nc: NatsConnection, bucket: string): Promise<KV> {
  return nc.jetstream({ timeout: answerMs }).views.kv(bucket, { bindOnly: true });
}
