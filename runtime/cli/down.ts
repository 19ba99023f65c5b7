import { existsSync } from "node:fs";
import { clusterFileIn, findClusterFile, readClusterFile } from "../cluster/state.js";
import { forceDown, processesOf } from "./force.js";
import { isRunning, kill, ranAt, untilGone } from "./processes.js";

const stopMs = 40_000; // the job drains, then the launcher stops everything
const killMs = 5_000;

export interface Downed {
  /** false: there was nothing to stop. */
  stopped: boolean;
  text: string;
}

/** Stops the cluster of this folder and waits until its processes are gone. */
export async function down(cwd: string): Promise<Downed> {
  const path = findClusterFile(cwd) ?? clusterFileIn(cwd);
  if (!existsSync(path)) return { stopped: false, text: "no cluster runs here" };
  const { pid, natsPids, startedAt } = readClusterFile(path);
  const launcherLives = isRunning(pid) && ranAt(pid, startedAt);
  const others = [...processesOf(path), ...natsPids].filter((other) => other !== process.pid && isRunning(other));
  if (!launcherLives) {
    forceDown(path);
    return { stopped: true, text: "removed what a killed cluster had left" };
  }
  kill(pid, "SIGTERM");
  if (await untilGone([pid, ...others], stopMs)) return { stopped: true, text: "the cluster is down" };
  kill(pid, "SIGKILL");
  await untilGone([pid], killMs);
  forceDown(path);
  return { stopped: true, text: `the cluster did not stop within ${stopMs / 1000} s and was killed` };
}
