import { ActorsError } from "../core/errors.js";
import { type KV, type NatsConnection, onConnection, openKv } from "../transport/nats.js";
import type { Entry, Store } from "./store.js";

const wrongLastSequence = 10071; // JetStream's error code for a failed compare-and-set
const retryMs = 50;
const patienceMs = 15_000; // how long an operation rides out a lost or restarting server

type KvEntry = { key: string; value: Uint8Array; revision: number; operation: string };

/** The directory in a JetStream KV bucket. Every operation waits out a restart of the server, at most 15 s. */
export class NatsStore implements Store {
  readonly #nc: NatsConnection;
  readonly #kv: KV;

  private constructor(nc: NatsConnection, kv: KV) {
    this.#nc = nc;
    this.#kv = kv;
  }

  static async open(nc: NatsConnection, bucket: string): Promise<NatsStore> {
    return new NatsStore(nc, await patiently(`open KV bucket ${bucket}`, () => openKv(nc, bucket)));
  }

  async get(key: string): Promise<Entry | undefined> {
    const entry = await patiently(`read ${key}`, () => this.#kv.get(key));
    return entry && entry.operation === "PUT" ? toEntry(entry) : undefined;
  }

  create(key: string, value: Uint8Array): Promise<number> {
    return this.#write(`create ${key}`, key, value, () => this.#kv.create(key, value));
  }

  update(key: string, value: Uint8Array, revision: number): Promise<number> {
    return this.#write(`update ${key}`, key, value, () => this.#kv.update(key, value, revision));
  }

  async delete(key: string): Promise<void> {
    await patiently(`delete ${key}`, () => this.#kv.delete(key));
  }

  /** A write whose answer was lost may have happened: when the retry conflicts, our own value there means success. */
  async #write(what: string, key: string, value: Uint8Array, put: () => Promise<number>): Promise<number> {
    let tries = 0;
    try {
      return await patiently(what, () => {
        tries++;
        return put();
      });
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (tries === 1) return 0;
      const now = await this.get(key);
      return now !== undefined && Buffer.compare(now.value, value) === 0 ? now.revision : 0;
    }
  }

  async watch(changed: (entry: Entry) => void): Promise<() => void> {
    const seen = new Map<string, number>();
    let stopped = false;
    let current: { stop(): void } | undefined;
    const follow = async (first: boolean) => {
      let initializedFn = () => {};
      const ready = new Promise<void>((resolve) => {
        initializedFn = resolve;
      });
      const watcher = await patiently("watch the directory", () => this.#kv.watch({ initializedFn }));
      if (stopped) return watcher.stop();
      current?.stop();
      current = watcher;
      void (async () => {
        for await (const e of watcher) {
          if ((seen.get(e.key) ?? 0) >= e.revision) continue;
          seen.set(e.key, e.revision);
          changed(toEntry(e));
        }
      })().catch(() => {});
      if (first) await ready;
    };
    await follow(true);
    // The server's side of a watch does not outlive it; a new one replays what was missed.
    onConnection(this.#nc, (connected) => {
      if (connected && !stopped) void follow(false).catch(() => {});
    });
    return () => {
      stopped = true;
      current?.stop();
    };
  }
}

function toEntry(e: KvEntry): Entry {
  const deleted = e.operation !== "PUT";
  return { key: e.key, value: deleted ? new Uint8Array() : e.value, revision: e.revision, deleted };
}

function isConflict(error: unknown): boolean {
  return (error as { api_error?: { err_code?: number } })?.api_error?.err_code === wrongLastSequence;
}

/** Tries again while the server is away; conflicts and closed connections are final. */
async function patiently<T>(what: string, operation: () => Promise<T>): Promise<T> {
  const until = Date.now() + patienceMs;
  for (;;) {
    try {
      return await operation();
    } catch (cause) {
      const code = (cause as { code?: string }).code ?? "";
      if (isConflict(cause)) throw cause;
      if (Date.now() > until || code === "CONNECTION_CLOSED" || code === "CONNECTION_DRAINING") {
        throw new ActorsError(
          "UNAVAILABLE",
          `the directory did not answer in time: ${what}: ${(cause as Error).message}`,
          {
            cause,
            hint: "NATS is unreachable or its JetStream is not ready.",
          },
        );
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
