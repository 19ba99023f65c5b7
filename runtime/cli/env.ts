import { hostname } from "node:os";
import { dirname } from "node:path";
import { listInstalled, removeInstalled } from "../bundles/cache.js";
import { type BundleInfo, byUse, lastUse } from "../bundles/cluster.js";
import { short } from "../bundles/names.js";
import { findClusterFile } from "../cluster/state.js";
import { isActorsError } from "../core/errors.js";
import { join } from "../join.js";
import { clusterRuns } from "./processes.js";
import { bytes, columns, plain } from "./text.js";
import { UsageError } from "./usage.js";

const shownActors = 3;

interface Bundles {
  list(): Promise<BundleInfo[]>;
  remove(hash: string): Promise<unknown>;
}

/** Where no cluster runs: the cache of this machine and user alone. */
const ofThisMachine: Bundles = {
  list: async () => {
    const host = hostname();
    const all = listInstalled().map(({ hash, job, ...place }) => ({
      hash,
      job,
      shipped: null,
      installed: [{ ...place, host, nodes: [] }],
      actors: [],
    }));
    return byUse(all);
  },
  remove: (hash) => removeInstalled(hash),
};

async function withBundles<T>(step: (bundles: Bundles) => Promise<T>): Promise<T> {
  const file = findClusterFile();
  if (file === undefined || !clusterRuns(dirname(file))) return step(ofThisMachine);
  await using system = await join({ required: true });
  return await step(await system.bundles());
}

/** Of the cluster that runs here, else of this machine. */
export function envLs(): Promise<BundleInfo[]> {
  return withBundles((bundles) => bundles.list());
}

export function renderEnvs(all: readonly BundleInfo[]): string {
  if (all.length === 0) return "no job bundles\n";
  const head = ["HASH", "JOB", "SIZE", "INSTALLED ON", "LAST USED (UTC)", "IN USE BY"];
  return `${columns([head, ...all.map(row)])
    .map(plain)
    .join("\n")}\n`;
}

function row(info: BundleInfo): string[] {
  const { hash, job, shipped, installed } = info;
  const where = installed.map(({ host, nodes }) => (nodes.length > 0 ? `${nodes.join(" ")} (${host})` : host));
  const size = installed[0]?.bytes ?? shipped ?? 0;
  const used = lastUse(info);
  const at = used > 0 ? new Date(used).toISOString().slice(0, 16).replace("T", " ") : "-";
  return [short(hash), job || "-", bytes(size), where.join(", ") || "- (shipped)", at, usersOf(info) || "-"];
}

/** Its actors; where they are another cluster's, the processes of its nodes. */
function usersOf({ actors, installed }: BundleInfo): string {
  if (actors.length > shownActors)
    return `${actors.slice(0, shownActors).join(", ")} and ${actors.length - shownActors} more`;
  if (actors.length > 0) return actors.join(", ");
  const pids = [...new Set(installed.flatMap(({ users }) => users))];
  return pids.length > 0 ? `process ${pids.join(", ")}` : "";
}

/**
 * @param wanted a hash or its beginning; undefined: every bundle that is not in use
 * @returns what was removed
 * @throws UsageError when no bundle's hash begins so, or several do; ActorsError UNAVAILABLE while it is in use
 */
export function envRm(wanted: string | undefined): Promise<BundleInfo[]> {
  return withBundles(async (bundles) => {
    const all = await bundles.list();
    if (wanted !== undefined) {
      const one = find(wanted, all);
      await bundles.remove(one.hash);
      return [one];
    }
    const removed: BundleInfo[] = [];
    for (const each of all.filter((info) => usersOf(info) === "")) {
      try {
        await bundles.remove(each.hash);
        removed.push(each);
      } catch (error) {
        if (!isActorsError(error, "UNAVAILABLE")) throw error; // else an actor of it has just started
      }
    }
    return removed;
  });
}

function find(wanted: string, all: readonly BundleInfo[]): BundleInfo {
  const [one, another] = all.filter(({ hash }) => hash.startsWith(wanted));
  if (one && !another) return one;
  const what = one ? `several bundles' hashes begin with ${wanted}` : `there is no bundle ${wanted}`;
  throw new UsageError(what, { hint: "`actors env ls` lists them." });
}

export function renderRemoved(removed: readonly BundleInfo[]): string {
  if (removed.length === 0) return "nothing to remove: every bundle is in use\n";
  return removed
    .map(({ hash, job }) => plain(`removed ${short(hash)} of job ${job || "-"}`))
    .join("\n")
    .concat("\n");
}
