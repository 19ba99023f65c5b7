// The one file that imports the NATS client, so that a change of client stays here.
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import {
  connect,
  DebugEvents,
  ErrorCode,
  Events,
  type KV,
  type Msg,
  type NatsConnection,
  type NatsError,
  nkeyAuthenticator,
  nkeys,
  StorageType,
  type TlsOptions,
} from "nats";
import { ActorsError } from "../core/errors.js";
import type { EndpointId } from "../core/ids.js";
import { pause } from "../core/wait.js";
import { OneWay, type Transport, type Way } from "./transport.js";

export type { JetStreamClient, JetStreamManager, JsMsg, KV, NatsConnection } from "nats";
export { AckPolicy, DeliverPolicy, DiscardPolicy, headers, RetentionPolicy, StorageType } from "nats";

/** What a connection is for; the server knows it by its key, and allows it no more than it needs. */
export const roles = ["control", "worker", "client"] as const;
export type Role = (typeof roles)[number];

export interface NatsAddress {
  /** Of each server of the cluster, separated by commas. */
  url: string;
  role: Role;
  /** Secret: the private half of the role's key. It signs what the server asks, and never travels. */
  seed: string;
  /** Of a cluster with TLS: the PEM of who signed its certificate; nothing else is trusted. */
  ca?: string | undefined;
  /** Prefix of every subject, so that clusters can share a server. */
  cluster: string;
}

export const serversOf = (url: string) => url.split(",");

export interface NatsKey {
  public: string;
  seed: string;
}

export function newNatsKey(): NatsKey {
  const pair = nkeys.createUser();
  return { public: pair.getPublicKey(), seed: new TextDecoder().decode(pair.getSeed()) };
}

/** Where endpoints say that they lost their server and have another. */
export const backTopic = "back";
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
        authenticator: nkeyAuthenticator(new TextEncoder().encode(address.seed)),
        inboxPrefix: `_I.${address.role}`, // a role hears no answers to another
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
  readonly #prefix: string;
  readonly #inbox: string;
  readonly #back: string;
  readonly #way = new OneWay();
  readonly #subscriptions: { unsubscribe(): void }[] = [];

  /** @param url of all the servers */
  constructor(nc: NatsConnection, { cluster, url }: Pick<NatsAddress, "cluster" | "url">, id: EndpointId) {
    this.#nc = nc;
    this.#prefix = `${cluster}.i.`;
    this.#inbox = this.#prefix + id;
    this.#back = `${cluster}.${backTopic}`;
    this.maxBytes = (nc.info?.max_payload ?? 1 << 20) - 1024;
    onConnection(nc, (connected) => this.#way.changed(connected));
    if (serversOf(url).length > 1) this.#tellOfReturns(id);
  }

  /**
   * Where the other side has another server, what it missed while it was away is lost, and this link never broke. It
   * says so after its subscriptions, so that who hears of it is heard.
   */
  #tellOfReturns(id: EndpointId): void {
    const say = () => this.#nc.publish(this.#back, Buffer.from(id));
    const subscription = this.#nc.subscribe(this.#back, {
      callback: (error, message) => {
        const from = error || !isSaid(message) ? id : Buffer.from(message.data).toString("latin1");
        if (from !== id) this.#way.lost(from as EndpointId);
      },
    });
    this.#subscriptions.push(subscription);
    onConnection(this.#nc, (connected) => connected && say());
  }

  reaches(): boolean {
    return this.#way.open && !this.#nc.isClosed();
  }

  send(to: EndpointId, batch: Uint8Array): void {
    this.#nc.publish(this.#prefix + to, batch);
  }

  onBatch(receive: (batch: Uint8Array) => void): void {
    const subscription = this.#nc.subscribe(this.#inbox, {
      callback: (error, message) => {
        if (!error && isSaid(message)) receive(message.data);
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
