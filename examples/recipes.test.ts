import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { check } from "../rl/check/check.js";

const folder = fileURLToPath(new URL("../../examples/recipes", import.meta.url));
const rows = fileURLToPath(new URL("../../rl/data/goldens/hub", import.meta.url));
/** What a recipe needs from elsewhere. */
const instead: Record<string, string[]> = {
  "gsm8k.yaml": [`data.train_data=["${rows}"]`, `data.val_data=["${rows}:test"]`],
};

test("every recipe is one file of less than 60 lines in which nothing is wrong", async () => {
  const names = readdirSync(folder);
  assert.ok(names.length >= 6);
  for (const name of names) {
    assert.ok(readFileSync(join(folder, name), "utf8").split("\n").length < 60, name);
    const { problems, warnings, plan } = await check({
      file: name,
      settings: instead[name] ?? [],
      cwd: folder,
      time: false,
    });
    assert.deepEqual([name, problems, warnings], [name, [], []]);
    assert.equal(plan!.config.recipe, "train");
  }
});
