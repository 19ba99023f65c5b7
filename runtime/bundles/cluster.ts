import { agentHandle } from "../cluster/protocol.js";
import { ActorsError } from "../core/errors.js";
import type { Runtime } from "../core/runtime.js";
import { type Directory, hasEnded, label, NodeState } from "../directory/directory.js";
import type { Installed } from "./cache.js";
import { bundleOf, short } from "./names.js";
import { BundleStore } from "./store.js";

const answerMs = 10_000;

/** One folder that a bundle is installed in. */
export interface Place extends Omit<Installed, "hash" | "job"> {
  host: string;
  /** That use it; none where no cluster was asked. */
  nodes: string[];
}

export interface BundleInfo {
  hash: string;
  /** Name of the package. */
  job: string;
  /** Bytes in the cluster's store, from which nodes get it; null when it is not there. */
  shipped: number | null;
  installed: Place[];
  /** Labels of this cluster's live actors that run from it. */
  actors: string[];
}

/** The job bundles of a cluster: in its store, on its nodes, and in use. */
export class ClusterBundles {
  readonly #runtime: Runtime;
  readonly #directory: Directory;
  readonly #store: BundleStore;

  /** @throws ActorsError UNAVAILABLE in an in-process system, which ships nothing */
  constructor(runtime: Runtime & { directory: Directory }) {
    if (!runtime.nc) throw new ActorsError("UNAVAILABLE", "an in-process system has no job bundles");
    this.#runtime = runtime;
    this.#directory = runtime.directory;
    this.#store = new BundleStore(runtime.nc, runtime.cluster.id);
  }

  /** Those used last come first. @throws ActorsError DEADLINE_EXCEEDED */
  async list(): Promise<BundleInfo[]> {
    const [shipped, ...places] = await Promise.all([
      this.#store.list(),
      ...this.#nodes().map((node) => this.#ask(node)),
    ]);
    const all = new Map<string, BundleInfo>();
    const info = (hash: string, job: string): BundleInfo => {
      const known = all.get(hash) ?? { hash, job, shipped: null, installed: [], actors: this.#actorsOf(hash) };
      all.set(hash, known);
      return known;
    };
    for (const { hash, job, bytes } of shipped) info(hash, job).shipped = bytes;
    for (const { hash, job, ...place } of places.flat()) {
      const { installed } = info(hash, job);
      // Nodes of one machine tell of the same folder.
      const same = installed.find(({ host, installedAt }) => host === place.host && installedAt === place.installedAt);
      if (same) same.nodes.push(...place.nodes);
      else installed.push(place);
    }
    return byUse([...all.values()]);
  }

  /** Everywhere. @throws ActorsError UNAVAILABLE while it is in use, NOT_FOUND */
  async remove(hash: string): Promise<void> {
    const actors = this.#actorsOf(hash);
    if (actors.length > 0) {
      throw new ActorsError("UNAVAILABLE", `bundle ${short(hash)} is in use by ${actors.join(", ")}`, {
        hint: "Stop them first, or end the program that spawned them.",
      });
    }
    const removed: boolean[] = [];
    for (const { id } of this.#nodes()) {
      const remove = agentHandle(this.#runtime.endpoint.calls, id).removeBundle.with({ timeoutMs: answerMs });
      removed.push(await remove(hash));
    }
    const shipped = await this.#store.has(hash);
    if (shipped) await this.#store.remove(hash);
    if (!shipped && !removed.includes(true)) throw new ActorsError("NOT_FOUND", `there is no bundle ${short(hash)}`);
  }

  #nodes() {
    const nodes = [...this.#directory.nodes.values()].map(({ record }) => record);
    return nodes.filter(({ state }) => state !== NodeState.NODE_DEAD).sort((a, b) => a.slot - b.slot);
  }

  async #ask({ id, host }: { id: string; host: string }): Promise<(Place & { hash: string; job: string })[]> {
    const ask = agentHandle(this.#runtime.endpoint.calls, id).bundles.with({ timeoutMs: answerMs });
    return (await ask()).map((each) => ({ ...each, host, nodes: [id] }));
  }

  #actorsOf(hash: string): string[] {
    const records = [...this.#directory.actors.values()].map(({ record }) => record);
    return records.filter((r) => !hasEnded(r) && bundleOf(r.module) === hash).map(label);
  }
}

export const lastUse = ({ installed }: BundleInfo) => Math.max(0, ...installed.map(({ usedAt }) => usedAt));

export const byUse = (bundles: BundleInfo[]) => bundles.sort((a, b) => lastUse(b) - lastUse(a));
