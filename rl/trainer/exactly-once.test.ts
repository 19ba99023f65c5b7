import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { seededRandom } from "../environments/random.js";
import type { Ask, Outcome } from "../rollout/actor.js";
import { EpisodeStore } from "../run/episodes.js";
import { RunLedger, readLedger, type StepRecord } from "../run/ledger.js";
import { MemoryLog } from "../trajectories/memory.js";
import { decodeTrajectory, encodeTrajectory, shortKey } from "../trajectories/trajectory.js";
import { Generation, type GenerationOptions } from "./generation.js";

const folder = mkdtempSync(join(tmpdir(), "exactly-once-"));
after(() => rmSync(folder, { recursive: true }));

const steps = 5;
const sampling = { temperature: 1, topP: 1, topK: 0 };

/** What the rollout actors do, each by chance: play, play for long, fail, or play and be heard twice. */
class Players {
  readonly #random: () => number;
  readonly #version: () => number;
  readonly log = new MemoryLog("players");
  readonly #stored: ReadonlySet<string>;
  closed = false;

  /** @param stored what need not be played again */
  constructor(seed: number, version: () => number, stored: ReadonlySet<string>) {
    this.#random = seededRandom(seed);
    this.#version = version;
    this.#stored = stored;
  }

  play = (asks: readonly Ask[]): Promise<Outcome[]> => Promise.all(asks.map((ask) => this.#one(ask)));

  async #one(ask: Ask): Promise<Outcome> {
    assert.ok(!this.#stored.has(shortKey(ask)), `${ask.key} is stored, and asked for again`);
    const version = this.#version(); // of the weights it begins with
    const done = { key: ask.key, status: "done", reason: "", reward: 0, tokens: 2, turns: 1, retries: 0 } as const;
    for (let turns = Math.floor(this.#random() * 12); turns > 0; turns--) await new Promise(setImmediate);
    if (this.closed || this.#random() < 0.05)
      return { ...done, status: "failed", reason: "lost", finish: "", metrics: {} };
    const { key, step, group, sample, attempt, seed } = ask;
    const bytes = encodeTrajectory({
      ...{ key, step, group, sample, attempt, seed, task: "", prompt: "", reward: Math.floor(this.#random() * 2) },
      ...{
        finish: "submitted",
        turns: [turn(1), turn(2)],
        contexts: [],
        shared: 0,
        startedAt: 0,
        seconds: 0,
        stages: { queued: 0, init: 0, run: 0, generate: 0, reward: 0 },
        metrics: {},
      },
      tokens_T: Int32Array.of(1, 2, 3),
      lossMask_T: Uint8Array.of(0, 1, 1),
      logprobs_T: Float32Array.of(0, -1, -1),
      versions_T: Uint32Array.of(0, version, version),
    });
    await this.log.publish(key, bytes);
    if (this.#random() < 0.1) await this.log.publish(`${key}-again`, bytes);
    return { ...done, finish: "submitted", metrics: {} };
  }
}

const turn = (start: number) => ({
  ...{ start, end: start + 1, action: "", observation: "", reward: 0, potential: 0, summary: false },
});

type Rules = Pick<GenerationOptions, "ordered" | "spare" | "dynamic" | "maxStaleness" | "staleTokens" | "roots">;

/** One life of a trainer: ends at its last step, or dies after some turns of the event loop. @returns whether it came to the end */
async function live(run: string, rules: Rules, seed: number, turnsToLive: number): Promise<boolean> {
  const ledger = await RunLedger.open(run);
  const store = new EpisodeStore(join(run, "episodes"));
  let version = ledger.next;
  const stored = new Set<string>();
  for (let step = 0; step < steps; step++) {
    for (const bytes of await store.read(step)) stored.add(shortKey(decodeTrajectory(bytes)));
  }
  const players = new Players(seed, () => version, stored);
  const death = new AbortController();
  const generation = new Generation(
    players,
    players.log,
    store,
    {
      ...{
        run: "r",
        wanted: 2,
        samples: 2,

        maxAttempts: 50,
        workers: 8,
        firstVersion: 0,
        signal: death.signal,
      },
      ...{ line: () => {}, describe: ({ group }) => ({ seed: group, task: null, sampling }), ...rules },
    },
    ledger.steps.at(-1)?.data,
  );
  let turns = turnsToLive;
  const clock = setInterval(() => --turns < 0 && death.abort(), 1);
  try {
    for (let step = ledger.next; step < steps; step++) {
      await generation.openUpTo(step, steps - 1);
      const { groups, dropped } = await generation.take(step, 5000);
      for (const { trajectory } of groups.flat()) assert.ok(step - trajectory.versions_T[1]! <= rules.maxStaleness);
      for (let update = step % 3; update > 0; update--) await new Promise(setImmediate);
      if (death.signal.aborted) return false; // after the update, before the ledger
      await ledger.append({
        ...{ kind: "step", step, version: step + 1, beta: null, oldest: 0, dropped, data: generation.position() },
        trained: groups.flat().map(({ trajectory }) => shortKey(trajectory)),
        counts: { failedEpisodes: 0, droppedGroups: 0, cutGroups: 0, duplicates: 0, stale: 0 },
      });
      version = step + 1;
    }
    return true;
  } catch (error) {
    if (!death.signal.aborted) throw error;
    return false;
  } finally {
    clearInterval(clock);
    players.closed = true;
    death.abort();
    await generation.close();
    await store.close();
    await ledger.close();
  }
}

const dynamic = { type: "filter", maxBatches: 50, minReplaceRatio: 0.5 } as const;
const anyRules = fc.record<Rules>({
  ordered: fc.boolean(),
  spare: fc.nat(2),
  roots: fc.constantFrom(1, 2),
  dynamic: fc.constantFrom(null, dynamic),
  maxStaleness: fc.nat(2),
  staleTokens: fc.constant("redo"),
});

test("whenever a trainer dies, each sample of each prompt is trained on once or dropped with a reason, and none is too old", async () => {
  await fc.assert(
    fc.asyncProperty(anyRules, fc.nat(), fc.array(fc.nat(12), { maxLength: 4 }), async (rules, seed, lives) => {
      const run = mkdtempSync(join(folder, "run-"));
      let done = false;
      for (const [i, turns] of lives.entries()) done ||= await live(run, rules, seed + i, turns);
      if (!done) assert.ok(await live(run, rules, seed + 7, Number.POSITIVE_INFINITY));
      const records = readLedger(run).filter((record): record is StepRecord => record.kind === "step");
      assert.deepEqual(
        records.map(({ step }) => step),
        [0, 1, 2, 3, 4],
      );
      const outcomes = records.flatMap(({ trained, dropped }) => [...trained, ...dropped.map(({ key }) => key)]);
      const open = records.at(-1)!.data.open.flatMap((group) => [`${group}/0`, `${group}/1`]);
      const positions = [...outcomes.map((key) => key.split("/").slice(0, 3).join("/")), ...open];
      assert.equal(new Set(positions).size, positions.length);
      for (let step = 0; step < steps; step++) {
        const own = positions.filter((position) => position.startsWith(`${step}/`)).map((p) => Number(p.split("/")[1]));
        const groups = [...new Set(own)].sort((a, b) => a - b);
        assert.deepEqual(
          groups,
          groups.map((_, g) => g),
        ); // none was passed over
        assert.equal(own.length, groups.length * 2);
        assert.ok(groups.length >= 2 + rules.spare);
      }
      assert.ok(records.every(({ dropped }) => dropped.every(({ reason }) => reason.length > 0)));
    }),
    { numRuns: Number(process.env["ACTORS_TEST_RUNS"] ?? 25) },
  );
});
