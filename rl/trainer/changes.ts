import { isDeepStrictEqual } from "node:util";
import { ActorsError } from "../../runtime/index.js";
import type { Config } from "../config/schema.js";

const how = null;
const computes = "steps since the last saved state are computed again, and would come out differently";
const played = "episodes that are stored or under way were played by the old one";

/** Why a setting cannot change while a run goes on; null: it can. The longest path that fits decides. */
const rules: Record<string, string | null> = {
  "": computes,
  recipe: how,
  data: "the position in the data is counted in the old order",
  cluster: how,
  objects: how,
  generator: how,
  "generator.n_samples_per_prompt": "the groups under way have the old number of samples",
  "generator.apply_overlong_filtering": computes,
  "generator.max_turns": played,
  "generator.max_generate_length": played,
  "generator.sampling_params": played,
  "generator.chat_template_kwargs": played,
  "generator.context": played,
  "generator.tree": played,
  "generator.temperature_schedule": played,
  environment: how,
  "environment.env_class": played,
  "trainer.seed": "it decides the tasks, their order and every sample",
  "trainer.mode": "the prompts under way were handed out in the order of the old one",
  "trainer.train_batch_size": "the position in the data is counted in batches of the old size",
  "trainer.policy.model": "the saved state is of the old model",
  "trainer.critic.model": "the saved state is of the old critic",
  "trainer.epochs": how,
  "trainer.logger": how,
  "trainer.max_prompt_length": "it decides which rows there are",
  "trainer.warm_start": "the warm start is over",
  "trainer.max_staleness_steps": how,
  "trainer.stale_tokens": how,
  "trainer.spare_prompts": how,
  "trainer.learner_ranks": how,
  "trainer.learner_threads": how,
  "trainer.gradient_checkpointing": how,
  "trainer.max_tokens_per_microbatch": how,
  "trainer.max_training_steps": how,
  "trainer.step_timeout_seconds": how,
  "trainer.eval_before_train": how,
  "trainer.eval_interval": how,
  "trainer.ckpt_interval": how,
  "trainer.hf_save_interval": how,
};

/**
 * What differs, one line each.
 * @throws ActorsError INVALID_ARGUMENT naming the setting that would make it another run, and why
 */
export function allowedChanges(before: Config, after: Config): string[] {
  return [...differences(before, after, [])].map(({ path, from, to }) => {
    if (path === "trainer.max_training_steps" && after.trainer.epochs !== null) {
      const what = `trainer.max_training_steps cannot become ${to}: trainer.epochs, ${after.trainer.epochs}, sets it`;
      throw new ActorsError("INVALID_ARGUMENT", what, { hint: "Change trainer.epochs, or set it to null as well." });
    }
    const change = `${path} from ${JSON.stringify(from)} to ${JSON.stringify(to)}`;
    const reason = reasonAgainst(path);
    if (reason === null) return change;
    throw new ActorsError("INVALID_ARGUMENT", `a resumed run cannot change ${change}: ${reason}`, {
      hint: "Leave it as it was, or begin a new run from this one's checkpoint with trainer.policy.model.path.",
    });
  });
}

function reasonAgainst(path: string): string | null {
  for (let prefix = path; ; prefix = prefix.slice(0, Math.max(0, prefix.lastIndexOf(".")))) {
    if (Object.hasOwn(rules, prefix)) return rules[prefix]!;
  }
}

interface Difference {
  path: string;
  from: unknown;
  to: unknown;
}

function* differences(from: unknown, to: unknown, path: string[]): Generator<Difference> {
  if (isDeepStrictEqual(from, to)) return;
  if (!isSection(from) || !isSection(to)) return yield { path: path.join("."), from, to };
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    yield* differences(from[key], to[key], [...path, key]);
  }
}

const isSection = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
