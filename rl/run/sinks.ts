import { join } from "node:path";
import { OtlpSink } from "./otlp.js";
import type { SinkName } from "./sink-names.js";
import { TensorBoardSink } from "./tensorboard.js";

/** Where metrics go beside `metrics.jsonl`. None of it may hold up or end a training. */
export interface MetricsSink {
  /** Numbers and histograms at any depth, under `group/`. Returns at once. */
  write(step: number, group: string, line: object): void;
  /** Resolves when what was written is out, or will never be. */
  close(): Promise<void>;
}

/** `line` is told once of each that fails. `console` is what the command line shows anyway. */
export function openSinks(
  names: readonly SinkName[],
  run: { path: string; id: string },
  line: (text: string) => void,
): MetricsSink[] {
  return [...new Set(names)].flatMap((name): MetricsSink[] => {
    if (name === "tensorboard") return [new TensorBoardSink(join(run.path, "tensorboard"), line)];
    if (name === "otlp") return [OtlpSink.fromEnvironment(process.env, run.id, line)];
    return [];
  });
}
