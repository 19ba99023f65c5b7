// What the definitions of commands share.

/** Told how the command ended. */
export type Done = (exitCode: number) => void;

export const examples = (...lines: string[]) => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;

export const print = (text: string) => process.stdout.write(`${text}\n`);
