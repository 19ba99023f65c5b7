import { renameSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { decodeTrajectory, type Trajectory } from "../trajectories/trajectory.js";

export interface RecordTask {
  file: string;
  /** As they came over the wire. */
  trajectories: Uint8Array[];
}

/** One line of a trajectory file. T: all tokens of the episode. */
export type RecordedTrajectory = Omit<Trajectory, "tokens_T" | "lossMask_T" | "logprobs_T" | "versions_T"> & {
  tokens: number[];
  lossMask: number[];
  logprobs: number[];
  versions: number[];
};

/** The file is whole or not there: written beside and renamed. */
export default function record({ file, trajectories }: RecordTask): void {
  const lines = trajectories.map((bytes) => `${JSON.stringify(readable(decodeTrajectory(bytes)))}\n`);
  writeFileSync(`${file}.new`, gzipSync(lines.join("")));
  renameSync(`${file}.new`, file);
}

function readable({ tokens_T, lossMask_T, logprobs_T, versions_T, ...rest }: Trajectory): RecordedTrajectory {
  return {
    ...rest,
    tokens: [...tokens_T],
    lossMask: [...lossMask_T],
    logprobs: [...logprobs_T].map((p) => Number(p.toFixed(5))),
    versions: [...versions_T],
  };
}
