import { ActorsError } from "../../runtime/index.js";
import type { Image } from "./backend.js";
import type { SandboxProcess } from "./channel.js";
import { succeeded } from "./exec.js";
import { type ForkOptions, Sandbox, type SnapshotId } from "./sandbox.js";
import type { Op, OpResult, RunOptions } from "./session.js";

/** What a lease needs of its pool. */
export interface Keeper {
  save(sandbox: SandboxProcess, shells: ReadonlyMap<string, string>): Promise<SnapshotId>;
  drop(snapshot: SnapshotId): Promise<void>;
  acquire(options: RunOptions & { from?: SnapshotId; image?: Image | null }): Promise<Lease>;
  takeBack(sandbox: SandboxProcess): Promise<void>;
}

const shellState = "export -p; declare -f; alias -p";

/** A sandbox of a pool that belongs to one user until it is released, or disposed. */
export class Lease extends Sandbox {
  readonly #process: SandboxProcess;
  readonly #keeper: Keeper;
  readonly #shells = new Set<string>();
  /** Of shells that were not used since the snapshot: what they run first. */
  #pending: Map<string, string>;
  #released: Promise<void> | undefined;

  constructor(process: SandboxProcess, keeper: Keeper, shells: ReadonlyMap<string, string> = new Map()) {
    super();
    this.#process = process;
    this.#keeper = keeper;
    this.#pending = new Map(shells);
  }

  get id(): string {
    return this.#process.id;
  }

  /** Absolute, as its commands see it. */
  get workspace(): string {
    return this.#process.workspace;
  }

  get alive(): boolean {
    return this.#process.alive && !this.#released;
  }

  async run(ops: readonly Op[], options?: RunOptions): Promise<OpResult[]> {
    this.#check();
    for (const shell of shellsOf(ops)) {
      this.#shells.add(shell);
      const script = this.#pending.get(shell);
      if (script === undefined) continue;
      this.#pending.delete(shell);
      await this.#process.run([{ exec: { argv: [script], shell } }]);
    }
    return this.#process.run(ops, options);
  }

  async snapshot(): Promise<SnapshotId> {
    this.#check();
    const shells = new Map(this.#pending);
    for (const shell of this.#shells) {
      if (shells.has(shell)) continue;
      const result = succeeded(
        (await this.#process.run([{ exec: { argv: [shellState], shell, maxOutput: 1 << 20 } }]))[0],
      );
      shells.set(shell, `${Buffer.from(result.data).toString()}\ncd -- ${quote(result.cwd)}`);
    }
    this.#pending = shells;
    return this.#keeper.save(this.#process, shells);
  }

  async fork({ anew = false, ...options }: ForkOptions = {}): Promise<Lease> {
    if (anew) return this.#keeper.acquire({ ...options, image: this.#process.image });
    const from = await this.snapshot();
    try {
      return await this.#keeper.acquire({ ...options, from });
    } finally {
      await this.#keeper.drop(from);
    }
  }

  release(): Promise<void> {
    this.#released ??= this.#keeper.takeBack(this.#process);
    return this.#released;
  }

  #check(): void {
    if (this.#released) throw new ActorsError("UNAVAILABLE", `sandbox ${this.id} was released`);
  }
}

function shellsOf(ops: readonly Op[]): Set<string> {
  return new Set(ops.flatMap(({ exec }) => (exec?.shell ? [exec.shell] : [])));
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
