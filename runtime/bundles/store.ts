import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { bundlesOf } from "../cluster/roles.js";
import { ActorsError } from "../core/errors.js";
import { withDeadline } from "../core/wait.js";
import type { NatsConnection } from "../transport/nats.js";
import { short } from "./names.js";
import { hashOf, maxBundleBytes, type Packed } from "./pack.js";

const answerMs = 5_000;
const putMs = 120_000;
const pieceMs = 15_000; // between two pieces of a download
const roomForHeads = 1 << 20; // paths and lengths, beside the files themselves
const damagedTries = 2;

type Bucket = Awaited<ReturnType<ReturnType<NatsConnection["jetstream"]>["views"]["os"]>>;

export interface Shipped {
  hash: string;
  job: string;
  /** As it is kept: packed. */
  bytes: number;
  /** Unix milliseconds. */
  at: number;
}

/** The bundles that a cluster's nodes can get, in JetStream's object store; gone with the cluster. */
export class BundleStore {
  readonly #open: () => Promise<Bucket>;
  #bucket: Promise<Bucket> | undefined;

  constructor(nc: NatsConnection, cluster: string) {
    this.#open = () => nc.jetstream({ timeout: answerMs }).views.os(bundlesOf(cluster)); // made with the cluster
  }

  async has(hash: string): Promise<boolean> {
    const bucket = await this.#opened();
    const info = await withDeadline(bucket.info(hash), answerMs, `the look for bundle ${short(hash)}`);
    return info !== null && !info.deleted;
  }

  /** @returns bytes sent. @throws ActorsError DEADLINE_EXCEEDED */
  async put({ hash, job, bytes }: Packed): Promise<number> {
    const bucket = await this.#opened();
    const packed = await promisify(gzip)(bytes);
    const sent = bucket.putBlob({ name: hash, description: job }, packed);
    await withDeadline(sent, putMs, `the upload of bundle ${short(hash)}`);
    return packed.length;
  }

  /**
   * An encoded Bundle, and the hash is its own. A copy that is damaged in the store is removed from it.
   * @throws ActorsError START_FAILED when it is not there or damaged, DEADLINE_EXCEEDED
   */
  async get(hash: string): Promise<Uint8Array> {
    let why = "it is not in the cluster's store";
    for (let tries = 1; tries <= damagedTries && (await this.has(hash)); tries++) {
      try {
        const bytes = await this.#download(hash);
        if (hashOf(bytes) === hash) return bytes;
        why = "what is in the cluster's store has another hash";
      } catch (error) {
        if (error instanceof ActorsError) throw error;
        why = `what is in the cluster's store is damaged: ${(error as Error).message}`;
      }
      if (tries === damagedTries) await this.remove(hash);
    }
    throw new ActorsError("START_FAILED", `there is no job bundle ${short(hash)} to install: ${why}`, {
      hint: "Spawn it again from the job's folder: that ships it anew.",
    });
  }

  async list(): Promise<Shipped[]> {
    const all = await withDeadline((await this.#opened()).list(), answerMs, "the list of bundles");
    return all
      .filter(({ deleted }) => !deleted)
      .map(({ name, description, size, mtime }) => ({
        hash: name,
        job: description ?? "",
        bytes: size,
        at: Date.parse(mtime),
      }));
  }

  async remove(hash: string): Promise<void> {
    await withDeadline((await this.#opened()).delete(hash), answerMs, `the removal of bundle ${short(hash)}`);
  }

  async #download(hash: string): Promise<Uint8Array> {
    const found = await withDeadline((await this.#opened()).get(hash), answerMs, `bundle ${short(hash)}`);
    if (!found) throw new Error("it was removed");
    found.error.catch(() => {}); // also told by the reader
    const reader = found.data.getReader();
    const pieces: Uint8Array[] = [];
    try {
      for (;;) {
        const { done, value } = await withDeadline(reader.read(), pieceMs, `a piece of bundle ${short(hash)}`);
        if (done) break;
        pieces.push(value);
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
    return promisify(gunzip)(Buffer.concat(pieces), { maxOutputLength: maxBundleBytes + roomForHeads });
  }

  #opened(): Promise<Bucket> {
    this.#bucket ??= this.#open();
    this.#bucket.catch(() => {
      this.#bucket = undefined; // the next one tries again
    });
    return this.#bucket;
  }
}
