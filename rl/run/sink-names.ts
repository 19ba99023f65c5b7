export const sinkNames = ["console", "tensorboard", "otlp"] as const;
export type SinkName = (typeof sinkNames)[number];
