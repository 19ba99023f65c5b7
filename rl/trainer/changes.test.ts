import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeConfig, resolveConfig } from "../config/load.js";
import type { ConfigInput } from "../config/schema.js";
import { allowedChanges } from "./changes.js";

const before = resolveConfig({});
const changed = (overrides: ConfigInput) => allowedChanges(before, resolveConfig(mergeConfig(before, overrides)));

test("what only says how the work is done may change, and each change is named", () => {
  assert.deepEqual(changed({}), []);
  assert.deepEqual(
    changed({
      trainer: { learner_ranks: 3, max_training_steps: 200 },
      generator: { num_inference_engines: 2, eval_sampling_params: { temperature: 0.5 } },
      cluster: { nodes: 7 },
    }),
    [
      "trainer.max_training_steps from 100 to 200",
      "trainer.learner_ranks from 2 to 3",
      "generator.eval_sampling_params.temperature from 0 to 0.5",
      "generator.num_inference_engines from 1 to 2",
      "cluster.nodes from 1 to 7",
    ],
  );
});

test("a number of steps is not taken where epochs set it", () => {
  const epochs = resolveConfig({ trainer: { epochs: 2, max_training_steps: 12 } });
  const of = (trainer: ConfigInput["trainer"]) =>
    allowedChanges(epochs, resolveConfig(mergeConfig(epochs, { trainer })));
  assert.throws(
    () => of({ max_training_steps: 50 }),
    /max_training_steps cannot become 50: trainer\.epochs, 2, sets it/,
  );
  assert.equal(of({ max_training_steps: 50, epochs: null }).length, 2);
  assert.deepEqual(of({ epochs: 3 }), ["trainer.epochs from 2 to 3"]);
});

test("what would make it another run is refused with the reason", () => {
  const refused: [ConfigInput, RegExp][] = [
    [{ trainer: { seed: 1 } }, /cannot change trainer\.seed from 42 to 1: it decides the tasks, their order/],
    [{ trainer: { policy: { model: { dim: 32 } } } }, /trainer\.policy\.model\.dim .*: the saved state is of the old/],
    [{ trainer: { train_batch_size: 8 } }, /train_batch_size from 24 to 8: the position in the data is counted/],
    [{ trainer: { algorithm: { gamma: 0.5 } } }, /trainer\.algorithm\.gamma from 1 to 0\.5: steps since the last/],
    [{ generator: { sampling_params: { top_p: 0.5 } } }, /episodes that are stored or under way were played by the/],
    [{ environment: { env_class: "arithmetic" } }, /environment\.env_class from "quickstart" to "arithmetic"/],
  ];
  for (const [overrides, message] of refused) assert.throws(() => changed(overrides), message);
});
