import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SetupError } from "./errors.mjs";
import { root } from "./paths.mjs";
import { setUp } from "./set-up.mjs";

const program = join(root, "dist", "rl", "main.js");

/**
 * Prepares what this command needs and runs it in this process.
 * @param {string[]} args
 */
export async function bootstrap(args) {
  try {
    if (args[0] === "doctor") return await doctor(args.slice(1));
    await setUp(["npm", "typescript"]); // the rest once the program has found the command good
    if (!existsSync(program)) {
      throw new SetupError(`the build left no ${program}`, "Remove the folder dist and try again.");
    }
  } catch (error) {
    report(error, args.includes("--debug"));
    process.exitCode = error instanceof SetupError ? error.exitCode : 1;
    return;
  }
  await import(pathToFileURL(program).href);
}

/**
 * It must work where nothing else does, so it stands on Node alone.
 * @param {string[]} args
 */
async function doctor(args) {
  const { main } = await import("../doctor/main.mjs");
  process.exitCode = await main(args);
}

/**
 * @param {unknown} error
 * @param {boolean} debug
 */
export function report(error, debug) {
  const known = error instanceof SetupError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`actors: ${message}\n${known?.hint ? `  ${known.hint}\n` : ""}`);
  if (debug && error instanceof Error) process.stderr.write(`${error.stack}\n`);
}
