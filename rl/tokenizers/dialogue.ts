import { ActorsError } from "../../runtime/index.js";
import type { Dialogue, EnvironmentDef, Tokenizer, ToolSchema } from "../environments/environment.js";
import type { ChatMessage, HuggingFaceTokenizer } from "./hugging-face.js";

/** How an environment's conversations become tokens. */
export function dialogueOf({ dialogue, tokenizer }: Pick<EnvironmentDef, "dialogue" | "tokenizer">): Dialogue {
  return dialogue ?? plainDialogue(tokenizer);
}

/** The texts as they are, one after another. */
function plainDialogue(tokenizer: Tokenizer): Dialogue {
  return {
    open: ({ prompt }) => tokenizer.encode(prompt),
    answer: (observation) => tokenizer.encode(observation),
  };
}

/** Stands for an action in a conversation that is only rendered to see what comes after it. */
const action = "%%action%%";

/**
 * As a model's chat template has it. The template sees the prompt and, of later turns, one observation at a time: what the policy
 * sampled is never rendered, so templates that rewrite the past (such as those that drop old thoughts) rewrite nothing.
 * @throws ActorsError INVALID_ARGUMENT for a template that does not end an action with the tokenizer's `eos`
 */
export function chatDialogue(
  tokenizer: HuggingFaceTokenizer,
  tools: readonly ToolSchema[] | undefined,
  variables: Readonly<Record<string, unknown>>,
): Dialogue {
  const options = { addGenerationPrompt: true, variables, ...(tools && { tools: [...tools] }) };
  const after = (role: string, content: string) => {
    const asked: ChatMessage[] = [
      { role: "user", content: "?" },
      { role: "assistant", content: action },
    ];
    const text = tokenizer.chat([...asked, { role, content }], options);
    return text.slice(text.indexOf(action) + action.length);
  };
  const takes = (role: string) => {
    try {
      return after(role, action).includes(action); // some templates know no tools, or leave out what they do not know
    } catch {
      return false;
    }
  };
  const role = tools && takes("tool") ? "tool" : "user";
  if (!takes(role) || !after(role, "").startsWith(tokenizer.end)) {
    throw new ActorsError(
      "INVALID_ARGUMENT",
      `the chat template does not end an assistant's turn with the tokenizer's eos_token, ${tokenizer.end}`,
      { hint: "Set eos_token in tokenizer_config.json to the token that ends a turn." },
    );
  }
  return {
    open: ({ prompt, messages = [{ role: "user", content: prompt }] }) =>
      tokenizer.encode(tokenizer.chat([...messages], options)),
    answer(observation, ended) {
      const text = after(role, observation);
      return tokenizer.encode(ended ? text.slice(tokenizer.end.length) : text);
    },
  };
}
