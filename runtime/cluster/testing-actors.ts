// Actors of the cluster's end-to-end tests; here so that every node can load them.
import { once } from "node:events";
import { threadId } from "node:worker_threads";
import { defineActor } from "../core/definition.js";
import type { Handle } from "../core/handle.js";
import type { ActorContext } from "../hosting/instance.js";
import type { SpawnOptions } from "../spawn.js";
import type { LifecycleEvent } from "../watch.js";

export interface Whereabouts {
  pid: number;
  threadId: number;
  node: string;
  epoch: number;
  devices: readonly string[];
  /** What CUDA would see. */
  visible: string | undefined;
}

/** Tells where it lives, and holds calls open so that a test can break something meanwhile. */
class Probe {
  #context: ActorContext | undefined;
  #sum = 0;
  #open: (() => void)[] = [];
  #entered: (() => void)[] = [];
  #holding = 0;

  onStart(context: ActorContext) {
    this.#context = context;
  }
  where(): Whereabouts {
    const { node, epoch, devices } = this.#context!;
    return { pid: process.pid, threadId, node, epoch, devices, visible: process.env["CUDA_VISIBLE_DEVICES"] };
  }
  add(k: number) {
    this.#sum += k;
    return this.#sum;
  }
  /** Holds the first incarnation's callers until `open`; a later one answers at once. */
  async hold(): Promise<number> {
    const { epoch, signal, call } = this.#context!;
    if (epoch > 1) return epoch;
    const left = AbortSignal.any([signal, call.signal]);
    this.#enter();
    await new Promise<void>((resolve, reject) => {
      this.#open.push(resolve);
      left.addEventListener("abort", () => reject(left.reason));
    });
    return epoch;
  }
  /** The same, but not idempotent. */
  holdOnce(): Promise<number> {
    return this.hold();
  }
  open() {
    for (const release of this.#open.splice(0)) release();
  }
  /** Resolves once a call is held, or a watch has begun. */
  async entered() {
    if (this.#holding === 0) await new Promise<void>((resolve) => this.#entered.push(resolve));
  }
  async *upTo(n: number) {
    for (let i = 0; i < n; i++) yield i;
  }
  async *sums(numbers: AsyncIterable<number>) {
    for await (const n of numbers) yield this.add(n);
  }
  holdOf(other: Handle<Probe>) {
    return other.hold();
  }
  /** Sums up those of the other, as they come. */
  async sumOf(other: Handle<Probe>, n: number) {
    for await (const i of other.upTo(n)) this.add(i);
    return this.#sum;
  }
  /** Keeps its thread busy. */
  spin(ms: number) {
    for (const until = performance.now() + ms; performance.now() < until; );
  }
  /** Holds the thread. */
  block(ms: number) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  }
  crash() {
    setImmediate(() => process.exit(7));
  }
  fail(message: string) {
    throw new RangeError(message);
  }
  /** What it saw of another actor, once that is over; `entered` once it saw something. */
  async watch(other: object): Promise<LifecycleEvent["kind"][]> {
    const seen: LifecycleEvent["kind"][] = [];
    for await (const { kind } of this.#context!.system.watch(other)) {
      seen.push(kind);
      this.#enter();
    }
    return seen;
  }
  #enter() {
    this.#holding++;
    for (const tell of this.#entered.splice(0)) tell();
  }
}

export const probe = defineActor({
  name: "test.probe",
  module: import.meta.url,
  class: Probe,
  idempotent: ["hold", "where"],
  shared: ["open", "entered", "watch"],
});

/** Ends its process or thread while it starts. */
class Stillborn {
  constructor(how: number | "SIGKILL") {
    if (how === "SIGKILL") process.kill(process.pid, how);
    else process.exit(how);
  }
}

export const stillborn = defineActor({ name: "test.stillborn", module: import.meta.url, class: Stillborn });

/** Runs once, and never again. */
class Mayfly {
  onStart({ epoch }: ActorContext) {
    if (epoch > 1) throw new Error("no second life");
  }
  crash() {
    setImmediate(() => process.exit(7));
  }
}

export const mayfly = defineActor({ name: "test.mayfly", module: import.meta.url, class: Mayfly });

/** So often a ledger of this process does not start again. */
export const badStarts = { left: 0 };

/** Keeps a sum over its incarnations. */
class Ledger {
  #context: ActorContext | undefined;
  #sum = 0;
  #taken: (() => void)[] = [];

  onStart(context: ActorContext) {
    this.#context = context;
  }
  snapshot() {
    for (const tell of this.#taken.splice(0)) tell();
    if (this.#sum < 0) throw new RangeError("in debt");
    return { sum: this.#sum, at: new Map([["epoch", this.#context!.epoch]]) };
  }
  restore({ sum }: { sum: number }) {
    if (sum === 13) throw new RangeError("an unlucky number");
    if (badStarts.left-- > 0) throw new RangeError("not yet");
    this.#sum = sum;
  }
  add(n: number) {
    this.#sum += n;
    return this.#sum;
  }
  async addAndSave(n: number) {
    this.#sum += n;
    await this.#context!.save();
    return this.#sum;
  }
  /** Resolves once a snapshot is taken. */
  async taken() {
    await new Promise<void>((resolve) => this.#taken.push(resolve));
  }
  where() {
    return { pid: process.pid, node: this.#context!.node, epoch: this.#context!.epoch, sum: this.#sum };
  }
  crash() {
    setImmediate(() => process.exit(7));
  }
}

export const ledger = defineActor({
  name: "test.ledger",
  module: import.meta.url,
  class: Ledger,
  snapshotMs: 20,
  shared: ["taken"],
  idempotent: ["where"],
});

/** Owns children, so that it can be seen what becomes of them. */
class Parent {
  #context: ActorContext | undefined;

  onStart(context: ActorContext) {
    this.#context = context;
  }
  bear(options: SpawnOptions<[]> = { hosting: "process" }) {
    return this.#context!.system.spawn(probe, options);
  }
  epoch() {
    return this.#context!.epoch;
  }
  /** Keeps the mailbox waiting until this incarnation ends. */
  async hold() {
    await once(this.#context!.signal, "abort");
  }
  /** While this incarnation is being ended, lets a child die too. */
  async takeAlong(child: Handle<Probe>) {
    await once(this.#context!.signal, "abort");
    child.crash.tell();
    await child.hold().catch(() => {}); // fails once its end is known
  }
}

export const parent = defineActor({
  name: "test.parent",
  module: import.meta.url,
  class: Parent,
  idempotent: ["epoch"],
});

/** The same under a name of its own, so that a test can count its calls. */
export const counted = defineActor({
  name: "test.counted",
  module: import.meta.url,
  class: Probe,
  shared: ["open", "entered"],
});

/** Calls another actor from a process of its own. */
class Messenger {
  readonly #to: Handle<Probe>;
  constructor(to: Handle<Probe>) {
    this.#to = to;
  }
  /** @returns the sums that it answered, one call after the other */
  async send(count: number): Promise<number[]> {
    const sums: number[] = [];
    for (let i = 0; i < count; i++) sums.push(await this.#to.add(1));
    return sums;
  }
  hold() {
    return this.#to.holdOnce();
  }
}

export const messenger = defineActor({ name: "test.messenger", module: import.meta.url, class: Messenger });

/** Writes down who called in which order, over its incarnations. */
class Journal {
  #context: ActorContext | undefined;
  #written: [by: string, n: number][] = [];
  #open: (() => void) | undefined;

  onStart(context: ActorContext) {
    this.#context = context;
  }
  snapshot() {
    return this.#written;
  }
  restore(written: [string, number][]) {
    this.#written = written;
  }
  /** @returns the incarnation that wrote it */
  write(by: string, n: number) {
    this.#written.push([by, n]);
    return this.#context!.epoch;
  }
  async writeLater(by: string, n: number) {
    await new Promise(setImmediate);
    return this.write(by, n);
  }
  read() {
    return this.#written;
  }
  where() {
    return { epoch: this.#context!.epoch, node: this.#context!.node, pid: process.pid };
  }
  async *lines() {
    yield* this.#written;
    await new Promise<void>((resolve) => {
      this.#open = resolve;
    });
  }
  close() {
    this.#open?.();
  }
  put() {
    return this.#context!.system.put(new Uint8Array(1 << 20));
  }
  bear(options: SpawnOptions<[]>) {
    return this.#context!.system.spawn(journal, options);
  }
}

export const journal = defineActor({
  name: "test.journal",
  module: import.meta.url,
  class: Journal,
  snapshotMs: 20,
  shared: ["close"],
});

/** Writes into a journal, after pauses about as long as it takes to become passive. */
class Scribe {
  async write(to: Handle<Journal>, by: string, rounds: number) {
    await to.where(); // a tell to an actor that its endpoint does not know yet reaches nobody
    for (let n = 0; n < rounds * 3; ) {
      const ms = Math.random() * 60;
      await new Promise((resolve) => setTimeout(resolve, ms));
      const told = to.write.tell(by, n++);
      await Promise.all([to.write(by, n++), to.writeLater(by, n++), told]);
    }
  }
}

export const scribe = defineActor({ name: "test.scribe", module: import.meta.url, class: Scribe });
