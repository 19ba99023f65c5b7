import { ActorsError } from "../../runtime/index.js";
import type { SandboxProcess } from "./channel.js";
import { succeeded } from "./exec.js";
import type { Holder } from "./holder.js";
import type { SavedWorkspace, Workspaces } from "./workspaces.js";

interface Stack {
  /** The layer it writes to. */
  own: number;
  /** What is beneath, topmost first; nobody writes to these. */
  below: readonly number[];
}

interface Saved extends SavedWorkspace {
  layers: readonly number[];
}

/** The kernel takes the names of all layers in one page. */
const deepest = 400;

/**
 * Workspaces that share what did not change: a save freezes the layer written to and puts a new one on top, whatever the size.
 * A layer is freed with the last sandbox and the last save that need it.
 */
export class LayeredWorkspaces implements Workspaces {
  readonly #holder: Holder;
  readonly #diskMb: number;
  /** Of its init, as the host numbers it. */
  readonly #pids = new Map<SandboxProcess, number>();
  readonly #stacks = new Map<SandboxProcess, Stack>();
  readonly #uses = new Map<number, number>();

  constructor(holder: Holder, diskMb: number) {
    this.#holder = holder;
    this.#diskMb = diskMb;
  }

  get alive(): boolean {
    return this.#holder.alive;
  }

  get holderPid(): number {
    return this.#holder.pid;
  }

  /** The layer of a sandbox that is to start on it. */
  async begin(): Promise<number> {
    const { layer, made } = this.#holder.layer(this.#diskMb);
    await made;
    this.#use([layer]);
    return layer;
  }

  /** It started on that layer, or did not. */
  began(sandbox: SandboxProcess | null, own: number, pid: number): void {
    if (!sandbox) return this.#letGo([own]);
    sandbox.workspaces = this;
    this.#pids.set(sandbox, pid);
    this.#stacks.set(sandbox, { own, below: [] });
    sandbox.ended.then(() => {
      const stack = this.#stacks.get(sandbox);
      this.#stacks.delete(sandbox);
      this.#pids.delete(sandbox);
      if (stack) this.#letGo([stack.own, ...stack.below]);
    });
  }

  async save(sandbox: SandboxProcess): Promise<Saved> {
    const { own, below } = this.#stack(sandbox);
    const layers = [own, ...below];
    this.#use(layers);
    await this.#put(sandbox, layers);
    return { layers };
  }

  restore(sandbox: SandboxProcess, saved: SavedWorkspace): Promise<void> {
    return this.#put(sandbox, (saved as Saved).layers);
  }

  async drop(saved: SavedWorkspace): Promise<void> {
    this.#letGo((saved as Saved).layers);
  }

  /** An empty layer on nothing, for the next user. */
  async clear(sandbox: SandboxProcess): Promise<void> {
    if (this.#stack(sandbox).below.length > 0) await this.#put(sandbox, []);
  }

  async #put(sandbox: SandboxProcess, below: readonly number[]): Promise<void> {
    if (below.length > deepest)
      throw new ActorsError("RESOURCE_EXHAUSTED", `a workspace of more than ${deepest} snapshots on each other`, {
        retryable: false,
        hint: "Download it and begin a new one with it.",
      });
    // Its init holds the old workspace open.
    succeeded((await sandbox.run([{ settle: true }]))[0]);
    const before = this.#stack(sandbox);
    const { layer, made } = this.#holder.layer(this.#diskMb);
    this.#use([layer, ...below]);
    try {
      await Promise.all([made, this.#holder.mount(this.#pids.get(sandbox) ?? 0, [layer, ...below])]);
      if (!this.#stacks.has(sandbox)) throw new ActorsError("UNAVAILABLE", `sandbox ${sandbox.id} ended`);
    } catch (error) {
      this.#letGo([layer, ...below]);
      sandbox.kill(); // nobody knows what it holds
      throw error;
    }
    this.#stacks.set(sandbox, { own: layer, below });
    this.#letGo([before.own, ...before.below]);
  }

  end(): void {
    this.#holder.end();
  }

  #stack(sandbox: SandboxProcess): Stack {
    const stack = this.#stacks.get(sandbox);
    if (stack) return stack;
    throw new ActorsError("UNAVAILABLE", `sandbox ${sandbox.id} ended`);
  }

  #use(layers: readonly number[]): void {
    for (const layer of layers) this.#uses.set(layer, (this.#uses.get(layer) ?? 0) + 1);
  }

  #letGo(layers: readonly number[]): void {
    for (const layer of layers) {
      const left = (this.#uses.get(layer) ?? 0) - 1;
      if (left > 0) this.#uses.set(layer, left);
      else {
        this.#uses.delete(layer);
        if (this.#holder.alive) this.#holder.drop(layer).catch(() => {}); // freed with the holder at the latest
      }
    }
  }
}
