import { ActorsError } from "../../runtime/index.js";
import { shortKey } from "../trajectories/trajectory.js";
import { type Dropped, readLedger } from "./ledger.js";
import { readTrajectories } from "./read.js";
import type { RecordedTrajectory } from "./record-worker.js";

/** A row of `actors rollouts ls`. */
export interface RolloutRow {
  key: string;
  reward: number;
  turns: number;
  tokens: number;
  finish: string;
  seconds: number;
}

export function* listRollouts(run: string): Generator<RolloutRow> {
  for (const t of readTrajectories(run)) {
    const tokens = t.lossMask.reduce((sum, m) => sum + m, 0);
    yield { key: shortKey(t), reward: t.reward, turns: t.turns.length, tokens, finish: t.finish, seconds: t.seconds };
  }
}

/** A row of `actors rollouts ls --dropped`. */
export interface DroppedRow extends Dropped {
  /** That did without it. */
  step: number;
}

export function listDropped(run: string): DroppedRow[] {
  return readLedger(run).flatMap((record) =>
    record.kind === "step" ? record.dropped.map((each) => ({ step: record.step, ...each })) : [],
  );
}

export function formatDropped(rows: readonly DroppedRow[]): string[] {
  return table(
    ["KEY", "STEP", "REASON"],
    rows.map(({ key, step, reason }) => [key, String(step), reason]),
  );
}

export function formatRows(rows: readonly RolloutRow[]): string[] {
  const head = ["KEY", "REWARD", "TURNS", "TOKENS", "FINISH", "SECONDS"];
  const cells = rows.map((r) => [
    r.key,
    r.reward.toFixed(2),
    String(r.turns),
    String(r.tokens),
    r.finish,
    r.seconds.toFixed(2),
  ]);
  return table(head, cells);
}

function table(head: readonly string[], cells: readonly string[][]): string[] {
  const widths = head.map((name, i) => cells.reduce((width, row) => Math.max(width, row[i]!.length), name.length));
  return [head, ...cells].map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join("  ")
      .trimEnd(),
  );
}

/** One episode: `key` as `ls` prints it or in full; without one, the last that was solved, else the last. @throws ActorsError NOT_FOUND */
export function findRollout(run: string, key?: string): RecordedTrajectory {
  let last: RecordedTrajectory | undefined;
  let solved: RecordedTrajectory | undefined;
  for (const t of readTrajectories(run)) {
    if (key !== undefined && (t.key === key || shortKey(t) === key)) return t;
    last = t;
    if (t.reward > 0) solved = t;
  }
  const found = key === undefined ? (solved ?? last) : undefined;
  if (found) return found;
  throw new ActorsError(
    "NOT_FOUND",
    key === undefined ? `${run} holds no rollouts` : `${run} holds no rollout ${key}`,
    {
      hint: "`actors rollouts ls RUN` lists the keys; a run's first ones are there after its first step.",
    },
  );
}

/** As a conversation, with the probability of each action and the weights it came from. */
export function formatRollout(t: RecordedTrajectory): string[] {
  const lines = [
    `key ${t.key}   seed ${t.seed}   ${t.seconds.toFixed(2)} s`,
    `task ${t.task}`,
    "",
    ...indent(t.prompt),
  ];
  for (const turn of t.turns) {
    const logp = t.logprobs.slice(turn.start, turn.end).reduce((a, b) => a + b, 0);
    const reward = turn.reward === 0 ? "" : `   reward ${turn.reward}`;
    if (turn.summary) lines.push("(the context was full, and the policy wrote down what to go on from)");
    lines.push(`> ${turn.action}   (p ${Math.exp(logp).toFixed(3)}, weights ${t.versions[turn.start]}${reward})`);
    lines.push(...indent(turn.observation));
  }
  const metrics = Object.entries(t.metrics).map(([name, value]) => `${name} ${value}`);
  return [...lines, "", `${t.finish}   reward ${t.reward}   ${metrics.join("   ")}`.trimEnd()];
}

function indent(text: string): string[] {
  return text === "" ? [] : text.split("\n").map((line) => `  ${line}`);
}
