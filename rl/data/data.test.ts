import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { mergeConfig, resolveConfig } from "../config/load.js";
import type { ConfigInput } from "../config/schema.js";
import { arithmetic } from "../environments/arithmetic/index.js";
import { cartPole } from "../environments/cart-pole/index.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { skyEnvironment } from "../environments/skyrl.js";
import { checkWarmStart } from "../trainer/inputs.js";
import { readRows } from "./files.js";
import { apportion, competence, Epochs, Mixture } from "./order.js";
import { openSupply, stepsOf } from "./supply.js";

const hub = fileURLToPath(new URL("../../../rl/data/goldens/hub", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "data-"));
after(() => rmSync(folder, { recursive: true }));

const rowOf = (n: number, source = "sums") => ({
  data_source: source,
  prompt: [{ role: "user", content: `What is ${n} + ${n}?` }],
  env_class: "gsm8k",
  reward_spec: { method: "rule", ground_truth: String(2 * n) },
  extra_info: { level: n },
});

function write(name: string, rows: readonly unknown[]): string {
  const text = rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n");
  const json = name.endsWith(".json") ? JSON.stringify(rows) : text;
  writeFileSync(join(folder, name), name.endsWith(".gz") ? gzipSync(text) : json);
  return join(folder, name);
}

async function rows(path: string, splits = ["train"]): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const raw of readRows(path, splits)) found.push("value" in raw ? raw.value : raw.wrong);
  return found;
}

function open(data: ConfigInput["data"], more: ConfigInput = {}, def: EnvironmentDef = arithmetic as EnvironmentDef) {
  const config = resolveConfig(mergeConfig({ trainer: { train_batch_size: 4 }, data }, more));
  return openSupply(config, def, { baseDir: folder, maxTokens: 30 }).then((supply) => ({ supply, config }));
}

const answers = (tasks: readonly unknown[]) => tasks.map((task) => (task as { answer: number }).answer);

test("the split of a folder of Parquet files, as the hub has them, is read in order, every column as JSON would have it", async () => {
  const train = (await rows(hub)) as ReturnType<typeof rowOf>[];
  assert.deepEqual(
    train.map(({ reward_spec }) => Number(reward_spec.ground_truth)),
    Array.from({ length: 12 }, (_, i) => 2 * (i + 1)),
  );
  assert.deepEqual(train[8], {
    ...{ data_source: "sums", prompt: [{ role: "user", content: "What is 9 + 9?" }], env_class: "gsm8k" },
    reward_spec: { method: "rule", ground_truth: "18" },
    extra_info: { split: "train", index: 9, level: 1, answer: "9 + 9 = 18\n#### 18" },
    made: 9 * 2 ** 40,
  });
  assert.equal((await rows(`${hub}:test`)).length, 4);
  assert.equal((await rows(hub, ["validation", "test"])).length, 4);
  await assert.rejects(rows(`${hub}:dev`), /hub has no split dev/);
  await assert.rejects(rows(`${hub}/nothing`), /there is no .*hub\/nothing/);
});

test("JSON lines, compressed or not, and JSON lists hold the same rows", async () => {
  const all = [rowOf(1), rowOf(2)];
  for (const name of ["a.jsonl", "a.jsonl.gz", "a.json"]) assert.deepEqual(await rows(write(name, all)), all);
  writeFileSync(join(folder, "cut.jsonl.gz"), gzipSync("{}").subarray(0, 12));
  await assert.rejects(rows(join(folder, "cut.jsonl.gz")), /cannot read .*cut.jsonl.gz: unexpected end of file/);
  await assert.rejects(rows(write("a.csv", [])), /a.csv is no data: it must end in \.parquet/);
});

test("rows that are too long or malformed are told by place and reason, and only dropped when that is asked for", async () => {
  const { reward_spec: _, ...without } = rowOf(4);
  const long = { ...rowOf(3), prompt: [{ role: "user", content: "x".repeat(31) }] };
  const wordy = { ...rowOf(5), reward_spec: { ground_truth: "many" } };
  const train_data = [write("mixed.jsonl", [rowOf(1), "{", long, without, wordy, rowOf(2)])];
  await assert.rejects(
    open({ train_data }),
    /data.train_data: 3 of 6 rows are malformed: mixed.jsonl:2: no JSON; mixed.jsonl:4: reward_spec: .*; mixed.jsonl:5: .*no number in "many"/,
  );
  const { supply } = await open({ train_data, malformed: "drop" });
  assert.deepEqual([supply.reports.train!.kept, supply.epoch], [2, 2]);
  assert.deepEqual(supply.reports.train!.tooLong, [{ at: "mixed.jsonl:3", why: "31 tokens, and 30 have room" }]);
  assert.match(
    supply.lines.join("\n"),
    /2 of 6 rows \(sums 2\)\n.*1 left out, too long: mixed.jsonl:3.*\n.*3 left out/,
  );
  await assert.rejects(open({ train_data: [write("none.jsonl", [long])] }), /none of 1 rows can be used: none.jsonl:1/);
  await assert.rejects(open({ train_data }, {}, cartPole as EnvironmentDef), /cart-pole makes its own tasks/);
});

test("a step's tasks follow from seed and place alone; each epoch takes every row once, in another order", async () => {
  const { supply } = await open({ train_data: [hub], val_data: [`${hub}:test`] });
  const epoch = (supply_: typeof supply, first: number) =>
    answers(Array.from({ length: 12 }, (_, i) => supply_.train(first + Math.floor(i / 4), i % 4)));
  const epochs = [0, 3, 6].map((first) => epoch(supply, first));
  for (const each of epochs)
    assert.deepEqual(
      each.toSorted((a, b) => a - b),
      epochs[0]!.toSorted((a, b) => a - b),
    );
  assert.equal(new Set(epochs.map(String)).size, 3);
  const again = await open({ train_data: [hub] });
  assert.deepEqual(epoch(again.supply, 6), epochs[2]); // of a run that begins in the middle
  assert.equal(again.supply.fingerprint, supply.fingerprint);
  const other = await open({ train_data: [hub] }, { trainer: { seed: 1 } });
  assert.notDeepEqual(epoch(other.supply, 0), epochs[0]);
  const plain = await open({ train_data: [hub], shuffle: false });
  assert.deepEqual(
    epoch(plain.supply, 3),
    Array.from({ length: 12 }, (_, i) => 2 * (i + 1)),
  );
  assert.deepEqual(
    supply.heldOut.map(({ source }) => source),
    ["openai/gsm8k", "sums", "openai/gsm8k", "openai/gsm8k"],
  );
});

test("rows of several kinds of environment are told, and a warm start without an expert is refused before anything starts", async () => {
  const rows_ = [rowOf(1), { ...rowOf(2), env_class: "aime" }];
  const { supply } = await open({ train_data: [write("kinds.jsonl", rows_)] });
  assert.match(supply.lines[1]!, /of several env_class \(gsm8k 1, aime 1\), all played in one environment/);
  const sky = skyEnvironment({
    name: "sky",
    maxTurns: 1,
    maxActionTokens: 8,
    make: () => assert.fail(),
  }) as EnvironmentDef;
  assert.equal((await open({ train_data: [join(folder, "kinds.jsonl")] }, {}, sky)).supply.epoch, 2);
  const warm = resolveConfig({ trainer: { warm_start: { steps: 1 } } });
  await assert.rejects(
    checkWarmStart(warm, sky),
    /trainer.warm_start.steps: sky demonstrates nothing: sky has no rows of its own/,
  );
  assert.throws(() => sky.trainTask(0, 0), /name some in data.train_data/);
});

test("epochs set the number of steps, and what is both trained and tested on is told", async () => {
  const { supply, config } = await open({ train_data: [hub], val_data: [`${hub}:train`] }, { trainer: { epochs: 5 } });
  assert.equal(stepsOf(config, supply), 15);
  assert.match(supply.lines.join("\n"), /12 of 12 rows of data.val_data are in data.train_data too/);
  const own = await open({}, { trainer: { epochs: 1 } });
  assert.throws(() => stepsOf(own.config, own.supply), /trainer.epochs needs data.train_data/);
});

test("a mixture gives each source its share, and a curriculum begins with the easy rows", async () => {
  const train_data = [
    write(
      "a.jsonl",
      [1, 2, 3, 4].map((n) => rowOf(n, "a")),
    ),
    write(
      "b.jsonl",
      [11, 12].map((n) => rowOf(n, "b")),
    ),
  ];
  const { supply } = await open({ train_data, mixture: { a: 1, b: 3 } });
  const drawn = answers(Array.from({ length: 1000 }, (_, i) => supply.train(Math.floor(i / 4), i % 4)));
  assert.equal(drawn.filter((answer) => answer > 20).length, 750);
  for (const answer of [2, 4, 6, 8]) assert.ok(Math.abs(drawn.filter((a) => a === answer).length - 62.5) <= 1);
  await assert.rejects(open({ train_data, mixture: { a: 1 } }), /data.mixture says nothing of b, which 2 rows have/);
  await assert.rejects(
    open({ train_data, mixture: { a: 1, b: 1, c: 1 } }),
    /data.mixture.c: no row has this data_source/,
  );
  const eased = await open({ train_data, curriculum: { by: "level", start: 0.25, steps: 50 } });
  const hardest = (step: number) => Math.max(...answers([0, 1, 2, 3].map((group) => eased.supply.train(step, group))));
  assert.ok([0, 1].every((step) => hardest(step) <= 4));
  assert.ok(Array.from({ length: 10 }, (_, i) => hardest(60 + i)).some((answer) => answer === 24));
  await assert.rejects(open({ train_data, curriculum: { by: "size" } }), /a.jsonl:1: extra_info.size: no number/);
});

test("shares are whole, exact in sum and never forget a source; competence grows from its start to 1", () => {
  const weights = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(
      weights.filter((w) => w.some((x) => x > 1e-6)),
      (all) => {
        const parts = apportion(all, 1000);
        const sum = all.reduce((a, b) => a + b, 0);
        assert.equal(
          parts.reduce((a, b) => a + b, 0),
          1000,
        );
        for (const [i, part] of parts.entries()) {
          assert.equal(part > 0, all[i]! > 0);
          assert.ok(part === 1 || Math.abs(part - (1000 * all[i]!) / sum) <= all.length);
        }
      },
    ),
  );
  assert.deepEqual(
    [0, 25, 100, 500].map((step) => competence(step, { start: 0.5, steps: 100 }).toFixed(3)),
    ["0.500", "0.661", "1.000", "1.000"],
  );
});

test("a place in an order is the same whether it is reached step by step or at once", () => {
  const place = fc.integer({ min: 0, max: 5000 });
  const walked = new Mixture([2, 1, 5]);
  const epochs = new Epochs(37, true);
  const before = Array.from({ length: 5001 }, (_, i) => [walked.at(9, i), epochs.at(9, i)]);
  fc.assert(
    fc.property(place, (i) => {
      assert.deepEqual([new Mixture([2, 1, 5]).at(9, i), new Epochs(37, true).at(9, i)], before[i]);
    }),
  );
});
