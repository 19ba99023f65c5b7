import { seededRandom } from "../environments/random.js";
import { encodeTrajectory, sampledTokens, type Trajectory } from "../trajectories/trajectory.js";

/**
 * The episode as far as a turn that dice choose, for another one to go on from: encoded, as an ask takes it. undefined: it has no two
 * turns to part between.
 */
export function branchOf(root: Trajectory, seed: number): Uint8Array | undefined {
  const { turns, tokens_T, lossMask_T, logprobs_T, versions_T, contexts } = root;
  if (turns.length < 2) return undefined;
  const kept = turns.slice(0, 1 + Math.floor(seededRandom(seed)() * (turns.length - 1)));
  const { end } = kept.at(-1)!;
  const begun = {
    ...root,
    tokens_T: tokens_T.slice(0, end),
    lossMask_T: lossMask_T.slice(0, end),
    logprobs_T: logprobs_T.slice(0, end),
    versions_T: versions_T.slice(0, end),
    contexts: contexts.filter((start) => start < end),
    turns: kept,
    reward: kept.reduce((sum, { reward }) => sum + reward, 0),
    finish: "",
    metrics: {},
  };
  return encodeTrajectory({ ...begun, shared: sampledTokens([begun]) });
}
