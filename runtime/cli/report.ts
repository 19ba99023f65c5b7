import { CommanderError } from "commander";
import { ActorsError } from "../core/errors.js";
import { exitCodes } from "./usage.js";

export interface Reported {
  code: string;
  message: string;
  hint: string | null;
  exitCode: number;
}

/** One sentence and one hint for anything caught. @param command such as `up`, to point at its help */
export function explain(caught: unknown, command: string): Reported {
  if (caught instanceof CommanderError) return explainCommander(caught, command);
  const error = ActorsError.from(caught, "INTERNAL");
  const { hint, exitCode } = (caught ?? {}) as { hint?: string; exitCode?: number }; // of a step of the set-up, too
  return {
    code: error.code,
    message: exitCode === undefined ? firstLine(error.rawMessage) : error.rawMessage,
    hint: error.hint ?? hint ?? null,
    exitCode: exitCode ?? exitCodes.failed,
  };
}

/** For people, on stderr. */
export function renderError({ message, hint }: Reported, caught: unknown, debug: boolean): string {
  const lines = [`actors: ${message}`];
  if (hint) lines.push(`  ${hint}`);
  if (debug && caught instanceof Error) lines.push(...stacks(caught));
  return `${lines.join("\n")}\n`;
}

function explainCommander(error: CommanderError, command: string): Reported {
  const [first = "", guess = ""] = error.message.replace(/^error: /, "").split("\n");
  const did = guess.replace("(Did", "(did");
  return {
    code: "INVALID_ARGUMENT",
    message: [first.replace(/\.$/, ""), did].filter(Boolean).join(" "),
    hint: `\`actors ${command ? `${command} ` : ""}--help\` shows what there is.`,
    exitCode: exitCodes.usage,
  };
}

function* stacks(error: Error): Iterable<string> {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if (depth > 0) yield "  caused by";
    yield at.stack ?? String(at);
  }
}

const firstLine = (text: string) => text.split("\n")[0]!;
