// Actors of the cluster's end-to-end tests; here so that every node can load them.
import { threadId } from "node:worker_threads";
import { defineActor } from "../core/definition.js";
import type { ActorContext } from "../hosting/instance.js";

export interface Whereabouts {
  pid: number;
  threadId: number;
  node: string;
  epoch: number;
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
    return { pid: process.pid, threadId, node: this.#context!.node, epoch: this.#context!.epoch };
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
    this.#holding++;
    for (const tell of this.#entered.splice(0)) tell();
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
  /** Resolves once a call is held. */
  async entered() {
    if (this.#holding === 0) await new Promise<void>((resolve) => this.#entered.push(resolve));
  }
  async *upTo(n: number) {
    for (let i = 0; i < n; i++) yield i;
  }
  crash() {
    setImmediate(() => process.exit(7));
  }
}

export const probe = defineActor({
  name: "test.probe",
  module: import.meta.url,
  class: Probe,
  idempotent: ["hold", "where"],
  shared: ["open", "entered"],
});

/** Ends its process or thread while it starts. */
class Stillborn {
  constructor(how: number | "SIGKILL") {
    if (how === "SIGKILL") process.kill(process.pid, how);
    else process.exit(how);
  }
}

export const stillborn = defineActor({ name: "test.stillborn", module: import.meta.url, class: Stillborn });

/** Owns children, so that it can be seen what becomes of them. */
class Parent {
  #context: ActorContext | undefined;

  onStart(context: ActorContext) {
    this.#context = context;
  }
  async bear(): Promise<string> {
    return (await this.#context!.system.spawn(probe, { hosting: "process" })).id;
  }
}

export const parent = defineActor({ name: "test.parent", module: import.meta.url, class: Parent });
