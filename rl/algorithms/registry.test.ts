import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { advantages, type ScoredSample } from "./advantages.js";
import { reductions } from "./reductions.js";

const folder = mkdtempSync(join(tmpdir(), "registry-"));
after(() => rmSync(folder, { recursive: true }));
const base = pathToFileURL(`${folder}/`).href;

function module(name: string, source: string): string {
  writeFileSync(join(folder, name), source);
  return `./${name}`;
}

const options = { normByStd: true, gamma: 1, lambda: 1 };
const sample: ScoredSample = {
  ...{ score: 3, rewards_T: Float32Array.of(0, 1, 2), lossMask_T: Uint8Array.of(0, 1, 1), turns: [] },
};

test("a module offers an estimator of scores as its default, or one of tokens as `estimate`", async () => {
  const scores = module("scores.mjs", "export default (scores, { gamma }) => scores.map((s) => s * 2 * gamma);");
  const tokens = module(
    "tokens.mjs",
    "export const estimate = (groups) => groups.map((g) => g.map((s) => s.rewards_T));",
  );
  const by = async (path: string) => [...(await advantages.load(path, base))([[sample]], options)[0]![0]!];
  assert.deepEqual(await by(scores), [0, 6, 6]);
  assert.deepEqual(await by(tokens), [0, 1, 2]);
});

test("a module offers a reduction as its default; one that offers nothing is named", async () => {
  const path = module("sum.mjs", "export default ({ tokens_B }) => tokens_B.map(() => 1);");
  assert.deepEqual((await reductions.load(path, base))({ tokens_B: [2, 3], prompts_B: [0, 0], maxSeqLen: 9 }), [1, 1]);
  const empty = module("empty.mjs", "export const x = 1;");
  await assert.rejects(advantages.load(empty, base), /\.\/empty\.mjs exports no advantage estimator/);
});

test("an unknown name is refused with the nearest one", async () => {
  await assert.rejects(
    reductions.load("token_men", base),
    /no loss reduction is named token_men: did you mean token_mean\?/,
  );
});
