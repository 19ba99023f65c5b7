import { columns, duration, number } from "../../runtime/cli/text.js";
import { sentence } from "../config/load.js";
import type { Checked, Plan } from "./check.js";
import { describeBytes, gigabytes, sumOf } from "./memory.js";
import { sftRows } from "./sft.js";

/** What was found, for people. */
export function renderCheck({ file, recipe, problems, warnings, plan, sft }: Checked): string[] {
  const head = ["recipe", file ? `${recipe} (${file})` : recipe];
  const rows = [head, ...(plan ? planRows(plan) : []), ...(sft ? sftRows(sft) : [])];
  return [
    ...columns(rows),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...problems.map((problem) => `problem: ${sentence(problem)}`),
    problems.length === 0
      ? "nothing stands in the way"
      : `${problems.length} ${problems.length === 1 ? "problem" : "problems"}: nothing would start`,
  ];
}

function planRows({
  config,
  environment,
  tokens,
  shape,
  data,
  heldOut,
  episode,
  memory,
  time,
}: Plan): [string, string][] {
  const { trainer, generator } = config;
  const { algorithm } = trainer;
  const episodes = trainer.train_batch_size * generator.n_samples_per_prompt;
  const updates =
    (trainer.train_batch_size / (trainer.policy_mini_batch_size ?? trainer.train_batch_size)) *
    trainer.update_epochs_per_batch;
  const from = trainer.policy.model.path === null ? "fresh" : trainer.policy.model.path;
  const staleness = trainer.mode === "sync" ? "sync" : `async, at most ${trainer.max_staleness_steps} steps stale`;
  return [
    [
      "environment",
      `${environment.name}, ${environment.maxTurns} turns, ${generator.max_generate_length ?? environment.maxActionTokens} tokens an action`,
    ],
    ["tokens", `of the ${tokens}`],
    ...(generator.backend === "native"
      ? []
      : [
          ["engines", `${generator.backend} at ${generator.remote_inference_engine_urls.join(", ")}`] as [
            string,
            string,
          ],
        ]),
    ...data.map((line): [string, string] => ["data", line]),
    [
      "model",
      `${number(memory.parameters)} parameters, ${shape.layers} layers of ${shape.dim}, ${number(shape.maxSeqLen)} tokens, ${from}`,
    ],
    [
      "algorithm",
      `${algorithm.advantage_estimator}, ${algorithm.policy_loss_type}, ${algorithm.loss_reduction}, lr ${trainer.policy.optimizer_config.lr}`,
    ],
    [
      "step",
      `${trainer.train_batch_size} prompts x ${generator.n_samples_per_prompt} samples = ${episodes} episodes, ${updates} updates, ${trainer.learner_ranks} ranks, ${staleness}`,
    ],
    [
      "episode",
      `${number(Math.round(episode.tokens))} tokens, ${number(Math.round(episode.sampled))} of them sampled (${episode.from === "bounds" ? "at most, by the settings" : "by the environment's demonstrations"})`,
    ],
    [
      "evaluation",
      `${heldOut} tasks x ${generator.eval_n_samples_per_prompt}${trainer.eval_before_train ? ", before" : ""}${trainer.eval_interval > 0 ? `, every ${trainer.eval_interval} steps` : ""}, after`,
    ],
    ["memory", `a learner rank ${gigabytes(sumOf(memory.learner))} (${describeBytes(memory.learner)})`],
    ["", `an engine ${gigabytes(sumOf(memory.engine))} (${describeBytes(memory.engine)})`],
    ["", `in all at most ${gigabytes(memory.total)}`],
    [
      "time",
      time
        ? `at least ${number(time.step)} s a step (engines ${number(time.generation)}, environments ${number(time.environment)}, learner ${number(time.update)}), ${duration(time.total)} for ${trainer.max_training_steps} steps; messages and evaluations come on top`
        : "not measured",
    ],
  ];
}
