import type { ActorsError } from "../core/errors.js";

/** One incarnation started by an agent, wherever it lives. */
export interface Hosted {
  readonly endpoint: string;
  readonly pid: number;
  stop(reason: string): Promise<void>;
}

/** Told once, when an incarnation ends that nobody asked to end. */
export type OnExit = (failure: ActorsError) => void;
