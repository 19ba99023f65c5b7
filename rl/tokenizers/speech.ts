import { existsSync, readFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ActorsError } from "../../runtime/index.js";
import type { Config } from "../config/schema.js";
import type { EnvironmentDef } from "../environments/environment.js";

/** Whose tokenizer and chat template conversations are had in. */
export interface Speech {
  /** Of a Hugging Face checkpoint. */
  folder: string;
  /** Of the chat template, such as enable_thinking. */
  variables: Record<string, unknown>;
}

/** Of a checkpoint that has a tokenizer; null: conversations are had in the environment's own. */
export function speechOf(checkpoint: string | null, { generator }: Config): Speech | null {
  if (checkpoint === null || !existsSync(join(checkpoint, "tokenizer.json"))) return null;
  return { folder: checkpoint, variables: generator.chat_template_kwargs };
}

/**
 * The environment, spoken with in another's tokens, and in its chat template where it has one.
 * @throws ActorsError INVALID_ARGUMENT naming the folder whose tokenizer cannot be used
 */
export async function speakAs(def: EnvironmentDef, { folder, variables }: Speech): Promise<EnvironmentDef> {
  const [{ HuggingFaceTokenizer }, { chatDialogue }] = await Promise.all([
    import("./hugging-face.js"), // large, and not needed where environments speak for themselves
    import("./dialogue.js"),
  ]);
  try {
    const tokenizer = HuggingFaceTokenizer.load(folder);
    const dialogue = tokenizer.hasTemplate ? chatDialogue(tokenizer, def.tools, variables) : undefined;
    return Object.create(def, {
      tokenizer: { value: tokenizer, enumerable: true },
      dialogue: { value: dialogue, enumerable: true },
    }) as EnvironmentDef;
  } catch (cause) {
    const { rawMessage, hint } = ActorsError.from(cause);
    throw new ActorsError("INVALID_ARGUMENT", `the tokenizer of ${folder} cannot be used: ${rawMessage}`, {
      cause,
      hint,
    });
  }
}

/** Whether what two checkpoints speak has different ids. One without a tokenizer, as a fresh model (null), speaks the environment's tokens. */
export function speaksOtherwise(a: string, b: string | null): boolean {
  const vocabulary = (folder: string | null) => {
    const file = folder === null ? null : join(folder, "tokenizer.json");
    if (file === null || !existsSync(file)) return null;
    const { model, added_tokens } = JSON.parse(readFileSync(file, "utf8"));
    return { vocab: model?.vocab, merges: model?.merges, added: added_tokens };
  };
  const [its, ours] = [vocabulary(a), vocabulary(b)];
  return !isDeepStrictEqual(its, ours);
}

const files = [
  ...["tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "special_tokens_map.json"],
  ...["added_tokens.json", "vocab.json", "merges.txt", "generation_config.json"],
];

/** What a checkpoint speaks with, into one that was learned from it. */
export async function copySpeech(from: string, to: string): Promise<void> {
  const there = files.filter((name) => existsSync(join(from, name)));
  await Promise.all(there.map((name) => copyFile(join(from, name), join(to, name))));
}
