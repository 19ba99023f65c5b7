import { addon, cancellable, guard, type NativeCollective } from "./addon.js";
import type { CollectiveOptions, RingOptions } from "./types.js";

const natives = new WeakMap<Collective, NativeCollective>();

/** The addon's object behind a collective; for this folder only. */
export function nativeOf(collective: Collective): NativeCollective {
  return natives.get(collective)!;
}

/**
 * Ranks that sum arrays: through shared memory on one host, in a ring of TCP connections between hosts. When a rank dies, is late, aborts or leaves, every wait of
 * the others rejects with an error that names it (TIMEOUT for a dead or late rank), and the group is over.
 */
export class Collective {
  readonly rank: number;
  readonly world: number;

  private constructor(native: NativeCollective, options: CollectiveOptions | RingOptions) {
    natives.set(this, native);
    this.rank = options.rank;
    this.world = "peers" in options ? options.peers.length : options.world;
  }

  /** Opens a port on this address, where the rank before this one will connect. Join a ring with it, or `unlisten`. */
  static listen(host: string): { descriptor: number; port: number } {
    return guard(() => addon().collectiveListen(host));
  }

  static unlisten(descriptor: number): void {
    guard(() => addon().collectiveUnlisten(descriptor));
  }

  /** Resolves when all ranks have joined. */
  static join(options: CollectiveOptions | RingOptions, signal?: AbortSignal): Promise<Collective> {
    return cancellable(signal, async (flag) => new Collective(await addon().collectiveJoin(options, flag), options));
  }

  /** x becomes the sum over ranks: the same bits on each rank and in each run. */
  allReduce(x: Float32Array, signal?: AbortSignal): Promise<void> {
    return cancellable(signal, (flag) => nativeOf(this).allReduce(x, flag));
  }

  barrier(signal?: AbortSignal): Promise<void> {
    return cancellable(signal, (flag) => nativeOf(this).barrier(flag));
  }

  /** Fails the group on every rank, at once. */
  abort(reason: string): void {
    guard(() => nativeOf(this).abort(reason));
  }

  close(): void {
    nativeOf(this).close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
