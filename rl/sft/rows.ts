import { z } from "zod";
import { ActorsError } from "../../runtime/index.js";
import type { Config } from "../config/schema.js";
import { difficultyOf, idOf, type ReadRow } from "../data/dataset.js";
import type { EnvironmentDef } from "../environments/environment.js";
import { type Example, exampleOf } from "../learner/example.js";
import { type ChatMessage, HuggingFaceTokenizer } from "../tokenizers/hugging-face.js";

const message = z.looseObject({
  role: z.string(),
  content: z
    .string()
    .nullish()
    .transform((text) => text ?? ""),
});
const common = {
  data_source: z.string().default("unknown"),
  extra_info: z
    .record(z.string(), z.json())
    .nullish()
    .transform((info) => info ?? {}),
};
/** A conversation, as chat data sets have it; `tools` are schemas for the chat template. */
const chat = z.looseObject({ ...common, messages: z.array(message).min(1), tools: z.array(z.json()).nullish() });
/** A prompt (a text, or messages) and what is to be said to it. */
const pair = z.looseObject({ ...common, prompt: z.union([z.string(), z.array(message).min(1)]), response: z.string() });

/** Reads rows of `messages`, or of `prompt` and `response`, into what is learned from them. */
export function exampleReader(
  { data, generator }: Config,
  { tokenizer }: EnvironmentDef,
): (value: unknown) => ReadRow<Example> {
  const spoken = tokenizer instanceof HuggingFaceTokenizer && tokenizer.hasTemplate ? tokenizer : null;
  const variables = generator.chat_template_kwargs;
  return (value) => {
    const parsed = (isChat(value) ? chat : pair).safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return { wrong: `${issue!.path.join(".") || "the row"}: ${issue!.message}` };
    }
    const row = parsed.data;
    try {
      const difficulty = difficultyOf(row.extra_info, data.curriculum.by);
      const messages = "messages" in row ? (row.messages as ChatMessage[]) : conversation(row as z.output<typeof pair>);
      const tools = "messages" in row ? (row.tools as unknown[] | null | undefined) : null;
      const task = spoken
        ? chatExample(spoken, messages, { variables, ...(tools && { tools }) })
        : plainExample(tokenizer, messages);
      const item = { task, source: row.data_source, difficulty, id: idOf(messages) };
      return { item, environment: "", tokens: task.tokens_T.length };
    } catch (error) {
      return { wrong: error instanceof ActorsError ? error.rawMessage : (error as Error).message };
    }
  };
}

const saysNothing = "messages: the assistant says nothing";
const isChat = (value: unknown) => typeof value === "object" && value !== null && "messages" in value;

function conversation({ prompt, response }: z.output<typeof pair>): ChatMessage[] {
  const asked = typeof prompt === "string" ? [{ role: "user", content: prompt }] : (prompt as ChatMessage[]);
  return [...asked, { role: "assistant", content: response }];
}

/** A text and what is said to it, without any template. */
function plainExample(tokenizer: EnvironmentDef["tokenizer"], messages: readonly ChatMessage[]): Example {
  if (!messages.some(({ role }) => role === "assistant")) throw new Error(saysNothing);
  if (messages.length !== 2 || messages[1]!.role !== "assistant") {
    throw new Error("a conversation of more than a prompt and a response needs a checkpoint with a chat template");
  }
  const [asked, said] = messages.map(({ content }) => spell(tokenizer, content)) as [Int32Array, Int32Array];
  return exampleOf([
    { tokens: asked, said: false },
    { tokens: Int32Array.of(...said, tokenizer.eos), said: true },
  ]);
}

/** @throws Error when the vocabulary, which may be that of one small task, lacks the words */
function spell(tokenizer: EnvironmentDef["tokenizer"], text: string): Int32Array {
  const tokens = tokenizer.encode(text);
  const spelled = tokenizer.decode(tokens);
  if (spelled.replace(/\s/g, "") === text.replace(/\s/g, "")) return tokens;
  const start = JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
  throw new Error(
    `the environment's tokens cannot say ${start}: set environment.env_class to one that speaks bytes, such as arithmetic, or trainer.policy.model.path to a checkpoint with a tokenizer`,
  );
}

/**
 * The conversation as its template renders it. What the assistant said is learned: from where the template asks it to speak to the
 * end of its turn. Each piece is encoded by itself, so that no token lies on both sides of a boundary.
 * @throws Error that says why the template does not tell what the assistant said
 */
export function chatExample(
  tokenizer: HuggingFaceTokenizer,
  messages: readonly ChatMessage[],
  options: { tools?: unknown[]; variables: Record<string, unknown> },
): Example {
  const whole = tokenizer.chat([...messages], options);
  const pieces: { text: string; said: boolean }[] = [];
  let at = 0;
  for (const [k, { role, content }] of messages.entries()) {
    if (role !== "assistant") continue;
    if (content.includes(tokenizer.end)) throw new Error(`messages.${k}: it says ${tokenizer.end}, which ends a turn`);
    if (k === 0) throw new Error("messages: the assistant speaks first, and there is nothing to answer");
    const start = startOf(tokenizer, whole, messages.slice(0, k), options);
    const end = start < at ? -1 : whole.indexOf(tokenizer.end, start);
    if (end < 0) throw new Error(`messages.${k}: the chat template does not tell where it ends`);
    pieces.push({ text: whole.slice(at, start), said: false });
    at = end + tokenizer.end.length;
    pieces.push({ text: whole.slice(start, at), said: true });
  }
  if (pieces.length === 0) throw new Error(saysNothing);
  return exampleOf(pieces.map(({ text, said }) => ({ tokens: tokenizer.encode(text), said })));
}

/** Where the answer to these messages begins: behind what asks for it, with the template's variables or, for answers of the past, without. */
function startOf(
  tokenizer: HuggingFaceTokenizer,
  whole: string,
  before: ChatMessage[],
  options: { tools?: unknown[]; variables: Record<string, unknown> },
): number {
  for (const variables of [options.variables, {}]) {
    const asked = tokenizer.chat(before, { ...options, variables, addGenerationPrompt: true });
    if (whole.startsWith(asked)) return asked.length;
  }
  throw new Error(`messages.${before.length}: the chat template writes what comes before it otherwise when it goes on`);
}
