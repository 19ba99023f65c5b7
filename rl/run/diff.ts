import type { RecordedTrajectory } from "./record-worker.js";

/** Two episodes beside each other: what they have in common, and from the turn on at which they part, both. */
export function formatDiff(a: RecordedTrajectory, b: RecordedTrajectory): string[] {
  const parted = firstDifference(a, b);
  const shared = Math.min(parted, a.turns.length, b.turns.length);
  const rows: [string, unknown, unknown][] = [
    ["key", a.key, b.key],
    ["task", a.task, b.task],
    ["seed", a.seed, b.seed],
    ["prompt", a.prompt, b.prompt],
    ["weights", weights(a), weights(b)],
    ["turns", a.turns.length, b.turns.length],
    ["reward", a.reward, b.reward],
    ["finish", a.finish, b.finish],
  ];
  rows.push(...metricRows(a, b).filter(([name]) => !rows.some(([known]) => known === name)));
  const same = rows.filter(([, left, right]) => left === right).map(([name]) => name);
  return [
    ...rows
      .filter(([, left, right]) => left !== right)
      .flatMap(([name, left, right]) => [`a ${name} ${left}`, `b ${name} ${right}`]),
    `the same: ${[...same, shared === 1 ? "1 turn" : `${shared} turns`].join(", ")}`,
    ...(parted === Number.POSITIVE_INFINITY
      ? []
      : ["", `turn ${parted + 1}`, ...rest("a", a, parted), ...rest("b", b, parted)]),
  ];
}

/** Index of the turn from which they differ in what was done or seen; Infinity: in none. */
export function firstDifference(a: RecordedTrajectory, b: RecordedTrajectory): number {
  const turns = Math.max(a.turns.length, b.turns.length);
  for (let i = 0; i < turns; i++) {
    const [left, right] = [a.turns[i], b.turns[i]];
    if (left?.action !== right?.action || left?.observation !== right?.observation || left?.reward !== right?.reward)
      return i;
  }
  return Number.POSITIVE_INFINITY;
}

function metricRows(a: RecordedTrajectory, b: RecordedTrajectory): [string, unknown, unknown][] {
  const names = new Set([...Object.keys(a.metrics), ...Object.keys(b.metrics)]);
  return [...names].map((name) => [name, a.metrics[name], b.metrics[name]]);
}

/** Versions that sampled it, oldest to newest. */
function weights({ lossMask, versions }: RecordedTrajectory): string {
  const used = versions.filter((_, i) => lossMask[i]);
  const [oldest, newest] = [Math.min(...used), Math.max(...used)];
  return oldest === newest ? String(oldest) : `${oldest} to ${newest}`;
}

function rest(name: string, { turns }: RecordedTrajectory, from: number): string[] {
  return turns
    .slice(from)
    .flatMap(({ action, observation, reward }) => [
      `${name}> ${action}${reward === 0 ? "" : `   (reward ${reward})`}`,
      ...(observation === "" ? [] : observation.split("\n").map((line) => `${name}  ${line}`)),
    ]);
}
