import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ActorsError } from "../../runtime/index.js";
import type { RecordedTrajectory } from "./record-worker.js";

/** `latest`, a name under `runsDir`, or a path. @throws ActorsError NOT_FOUND naming the runs there are */
export function findRun(runsDir: string, name: string): string {
  for (const candidate of [join(runsDir, name), name]) {
    try {
      readdirSync(join(candidate, "trajectories"));
      return realpathSync(candidate);
    } catch {
      // not here
    }
  }
  const there = list(runsDir).filter((run) => run !== "latest");
  throw new ActorsError("NOT_FOUND", `no run is named ${name} in ${runsDir}`, {
    hint: there.length > 0 ? `There are ${there.slice(-5).join(", ")}.` : "`actors up` makes one.",
  });
}

/** Trajectories of a run, step by step. */
export function* readTrajectories(run: string): Generator<RecordedTrajectory> {
  const folder = join(run, "trajectories");
  for (const name of list(folder).filter((file) => file.endsWith(".jsonl.gz"))) {
    for (const line of gunzipSync(readFileSync(join(folder, name)))
      .toString("utf8")
      .split("\n")) {
      if (line !== "") yield JSON.parse(line) as RecordedTrajectory;
    }
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
