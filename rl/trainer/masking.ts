import type { Trajectory } from "../trajectories/trajectory.js";

/** The trajectory with tokens of weights older than `oldest` out of the loss: they stay what the later ones were sampled after. */
export function maskOlder(trajectory: Trajectory, oldest: number): Trajectory {
  const { lossMask_T, versions_T } = trajectory;
  const tooOld = (t: number) => lossMask_T[t] === 1 && versions_T[t]! < oldest;
  if (!lossMask_T.some((_, t) => tooOld(t))) return trajectory;
  return { ...trajectory, lossMask_T: lossMask_T.map((sampled, t) => (tooOld(t) ? 0 : sampled)) };
}
