import { ActorsError } from "../core/errors.js";
import { newId } from "../core/ids.js";
import { pause } from "../core/wait.js";
import { type KV, type NatsConnection, onConnection, openKv } from "../transport/nats.js";
import { Writes } from "../transport/writes.js";
import { entriesBetween, type KvEntry } from "./skipped.js";
import type { Entry, Store } from "./store.js";

const retryMs = 50;
const patienceMs = 15_000; // how long an operation rides out a lost or restarting server
const quietMs = 1_000; // a watch that tells of nothing for so long is compared with the store
const replayMs = 5_000; // the longest silence before a watch has told of all that is there

type Watcher = Awaited<ReturnType<KV["watch"]>>;

/** The directory in a JetStream KV bucket. Every operation waits out a restart of the server, at most 15 s. */
export class NatsStore implements Store {
  readonly #link: Link;
  readonly #kv: KV;
  readonly #writes: Writes;
  readonly #prefix: string;
  readonly #between: (after: number, before: number) => Promise<KvEntry[]>;

  private constructor(nc: NatsConnection, link: Link, kv: KV, bucket: string) {
    this.#link = link;
    this.#kv = kv;
    this.#writes = new Writes(nc);
    this.#prefix = `$KV.${bucket}.`;
    this.#between = (after, before) => entriesBetween(nc, bucket, after, before);
  }

  static async open(nc: NatsConnection, bucket: string): Promise<NatsStore> {
    const link = new Link(nc);
    const kv = await link.patiently(`open KV bucket ${bucket}`, () => openKv(nc, bucket));
    return new NatsStore(nc, link, kv, bucket);
  }

  async get(key: string): Promise<Entry | undefined> {
    const entry = await this.#link.patiently(`read ${key}`, () => this.#kv.get(key));
    return entry && entry.operation === "PUT" ? toEntry(entry) : undefined;
  }

  async create(key: string, value: Uint8Array): Promise<number> {
    const revision = await this.#write(`create ${key}`, key, value, 0);
    if (revision > 0) return revision;
    const before = await this.#link.patiently(`read ${key}`, () => this.#kv.get(key));
    if (!before || before.operation === "PUT") return 0;
    return this.update(key, value, before.revision); // it was deleted, which is a message too
  }

  update(key: string, value: Uint8Array, revision: number): Promise<number> {
    return this.#write(`update ${key}`, key, value, revision);
  }

  async delete(key: string): Promise<void> {
    await this.#link.patiently(`delete ${key}`, () => this.#kv.delete(key));
  }

  /** A write whose answer was lost may have happened: by its id the server knows it again, whatever was written since. */
  #write(what: string, key: string, value: Uint8Array, last: number): Promise<number> {
    const id = newId("m");
    return this.#link.patiently(what, () => this.#writes.put(this.#prefix + key, value, last, id));
  }

  async watch(changed: (entry: Entry) => void): Promise<() => void> {
    const seen = new Map<string, number>();
    const tell = (e: KvEntry) => {
      if ((seen.get(e.key) ?? 0) >= e.revision) return;
      seen.set(e.key, e.revision);
      changed(toEntry(e));
    };
    const stopped = new AbortController();
    await this.#follow(tell, stopped.signal);
    return () => stopped.abort();
  }

  /** Resolves once all that is there was told of. From then on a watch that ends is followed by another, which tells what was missed. */
  #follow(tell: (e: KvEntry) => void, stopped: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const until = Date.now() + patienceMs;
      let told = false;
      const run = async () => {
        while (!stopped.aborted) {
          try {
            await this.#watchOnce(tell, stopped, () => {
              told = true;
              resolve();
            });
          } catch (error) {
            if (this.#link.closed || (!told && Date.now() > until)) return reject(error);
          }
          await pause(retryMs, stopped);
        }
      };
      void run();
    });
  }

  /** One watch, until the link or the server's side of it is lost. */
  async #watchOnce(tell: (e: KvEntry) => void, stopped: AbortSignal, replayed: () => void): Promise<void> {
    // The server's own count of what is still to come goes wrong while others write, and would never reach 0.
    const { count, last } = await this.#link.patiently("look at the directory", () => this.#extent());
    const watcher = await this.#link.patiently(
      "watch the directory",
      () => this.#kv.watch(),
      (late: Watcher) => late.stop(),
    );
    const end = () => watcher.stop();
    const slow = setTimeout(end, replayMs);
    let told: Set<string> | undefined = new Set(); // the keys told of so far, while not all are
    const settled = () => {
      told = undefined;
      clearTimeout(slow);
      replayed();
    };
    const unlisten = this.#link.onLost(end);
    let newest = count === 0 ? last : 0;
    const stopLooking = this.#onDeaf(() => newest, end);
    stopped.addEventListener("abort", end, { once: true });
    if (stopped.aborted) end();
    if (count === 0) settled();
    try {
      for await (const e of watcher) {
        // A revision is missing where it was overwritten before the watch came to it, or where the server skipped it.
        if (!told && e.revision > newest + 1) {
          const read = () => this.#between(newest, e.revision);
          for (const skipped of await this.#link.patiently("read what the watch skipped", read)) tell(skipped);
        }
        newest = Math.max(newest, e.revision);
        tell(e);
        if (!told) continue;
        // What is written anew before it was told of comes later, out of its turn.
        if (told.add(e.key).size >= count && e.revision >= last) settled();
        else slow.refresh();
      }
    } finally {
      clearTimeout(slow);
      stopLooking();
      unlisten();
      stopped.removeEventListener("abort", end);
      end();
    }
  }

  /**
   * The server that feeds a watch may be lost while ours is not: the client would notice in 10 s. Told when the store
   * has had something newer for a while that the watch does not tell of.
   */
  #onDeaf(newest: () => number, deaf: () => void): () => void {
    let before = 0;
    let missed = 0;
    const timer = setInterval(() => {
      const now = newest();
      if (now !== before) missed = 0;
      else if (missed > now) return deaf();
      else
        void this.#extent().then(
          ({ last }) => {
            if (newest() === now) missed = last;
          },
          () => {}, // it answers nobody
        );
      before = now;
    }, quietMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** How many keys there are, deleted ones too, and the newest revision. */
  async #extent(): Promise<{ count: number; last: number }> {
    const { streamInfo } = await this.#kv.status();
    return { count: streamInfo.state.messages, last: streamInfo.state.last_seq };
  }
}

/** Retries over one connection. What is asked while the link breaks is never answered, so it is asked again as soon as that is known. */
class Link {
  readonly #nc: NatsConnection;
  readonly #lost = new Set<() => void>();
  #connected = true;

  constructor(nc: NatsConnection) {
    this.#nc = nc;
    onConnection(nc, (connected) => {
      this.#connected = connected;
      if (!connected) for (const tell of [...this.#lost]) tell();
    });
  }

  get closed(): boolean {
    return this.#nc.isClosed();
  }

  onLost(tell: () => void): () => void {
    this.#lost.add(tell);
    return () => this.#lost.delete(tell);
  }

  /**
   * Tries again while the server is away; a closed connection is final.
   * @param drop gets the result of a try that was given up
   */
  async patiently<T>(what: string, operation: () => Promise<T>, drop?: (late: T) => void): Promise<T> {
    const until = Date.now() + patienceMs;
    for (;;) {
      try {
        if (!this.#connected) throw new Error("the connection is lost");
        return await this.#unlessLost(operation(), drop);
      } catch (cause) {
        if (Date.now() > until || this.closed) {
          throw new ActorsError(
            "UNAVAILABLE",
            `the directory did not answer in time: ${what}: ${(cause as Error).message}`,
            {
              cause,
              hint: "NATS is unreachable or its JetStream is not ready.",
            },
          );
        }
        await pause(retryMs);
      }
    }
  }

  async #unlessLost<T>(answer: Promise<T>, drop?: (late: T) => void): Promise<T> {
    let unlisten = () => {};
    const lost = new Promise<never>((_, reject) => {
      unlisten = this.onLost(() => {
        answer.then(drop, () => {});
        reject(new Error("the connection was lost"));
      });
    });
    return Promise.race([answer, lost]).finally(unlisten);
  }
}

function toEntry(e: KvEntry): Entry {
  const deleted = e.operation !== "PUT";
  return { key: e.key, value: deleted ? new Uint8Array() : e.value, revision: e.revision, deleted };
}
