import assert from "node:assert/strict";
import { test } from "node:test";
import { arithmetic } from "../environments/arithmetic/index.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { noSandbox, play } from "../environments/play.js";
import { seededRandom } from "../environments/random.js";
import { titration } from "../environments/titration/index.js";
import { firstDifference, formatDiff } from "./diff.js";
import type { RecordedTrajectory } from "./record-worker.js";
import { formatReplay, replayRollout } from "./replay.js";

async function recorded(given: unknown, seed: number): Promise<RecordedTrajectory> {
  const def = given as EnvironmentDef;
  const task = def.trainTask(0, 3);
  const { prompt, turns, steps, reward } = await play(def, task, def.random!, seededRandom(seed), noSandbox());
  return {
    ...{
      key: `r/0/0/${seed}/0`,
      step: 0,
      group: 0,
      sample: seed,
      attempt: 0,
      seed,
      task: JSON.stringify(task),
      prompt,
    },
    ...{
      reward,
      finish: steps.at(-1)!.terminated ? "submitted" : "turns",
      startedAt: 0,
      seconds: 1,
      stages: { queued: 0, init: 0, run: 0, generate: 0, reward: 0 },
      metrics: steps.at(-1)!.info,
    },
    turns: turns.map((turn, i) => ({
      ...turn,
      start: i,
      end: i + 1,
      reward: steps[i]!.reward,
      potential: 0,
      summary: false,
    })),
    contexts: [],
    shared: 0,
    ...{
      tokens: turns.map(() => 1),
      lossMask: turns.map(() => 1),
      logprobs: turns.map(() => -1),
      versions: turns.map((_, i) => 4 + i),
    },
  };
}

test("an episode replays as it was recorded, noise of its instruments included, and a change of it is found", async () => {
  for (const def of [titration, arithmetic]) {
    const episode = await recorded(def, 1);
    assert.deepEqual(await replayRollout(def as EnvironmentDef, episode, noSandbox()), []);
    assert.match(formatReplay(episode, [])[0]!, /replayed as it was recorded/);
    const turns = episode.turns.map((turn, i) => (i === 0 ? { ...turn, observation: "otherwise", reward: 9 } : turn));
    const deviations = await replayRollout(def as EnvironmentDef, { ...episode, turns, prompt: "?" }, noSandbox());
    assert.deepEqual(
      deviations.map(({ turn, what }) => [turn, what]),
      [
        [0, "prompt"],
        [1, "observation"],
        [1, "reward"],
      ],
    );
    const cut = { ...episode, turns: episode.turns.slice(0, -1) };
    assert.deepEqual(
      (await replayRollout(def as EnvironmentDef, cut, noSandbox())).map(({ what }) => what),
      ["end"],
    );
  }
});

test("two episodes are shown from the turn on at which they part", async () => {
  const [a, b] = [await recorded(titration, 1), await recorded(titration, 2)];
  const later = { ...a, turns: [...a.turns.slice(0, 2), ...b.turns.slice(2)] };
  assert.equal(firstDifference(a, later), 2);
  assert.equal(firstDifference(a, a), Number.POSITIVE_INFINITY);
  const lines = formatDiff(a, later);
  assert.match(lines[0]!, /^the same: key, task, seed, prompt, weights, turns, reward, finish, .*2 turns$/);
  assert.ok(
    lines.includes("turn 3") &&
      lines.includes(`a> ${a.turns[2]!.action}`) &&
      lines.includes(`b> ${b.turns[2]!.action}`),
  );
  assert.match(formatDiff(a, b).join("\n"), /a key r\/0\/0\/1\/0\nb key r\/0\/0\/2\/0\n/);
});
