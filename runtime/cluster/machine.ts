import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultLimits, shareOf } from "../objects/limits.js";
import { sharedMemoryPrefix } from "./remains.js";
import type { ClusterOptions } from "./start.js";

/** What a machine brings to a cluster, as its nodes' file says it. Makes the scratch folder, which `removeRemains` removes. */
export function bring(cluster: string, options: Pick<ClusterOptions, "nodes" | "offers" | "objects" | "stateDir">) {
  const { nodes, offers = {}, objects, stateDir } = options;
  const dir = mkdtempSync(join(tmpdir(), `actors-${process.pid}-`));
  return {
    pid: process.pid,
    nodes,
    offers,
    startedAt: Date.now(),
    stateDir,
    dir,
    shmPrefix: sharedMemoryPrefix(cluster),
    objects: shareOf({ ...defaultLimits(dir), ...objects }, nodes),
  };
}
