import { parseArgs } from "node:util";
import { report } from "../setup/bootstrap.mjs";
import { interrupted, interruptibly } from "../setup/interrupts.mjs";
import { cuda } from "./cuda.mjs";
import { machine } from "./machine.mjs";
import { software } from "./software.mjs";

export const help = `Usage: actors doctor [options]

Looks at everything that \`actors up\` needs and changes nothing. Each line says ok, warn (works, but less well) or fail,
and how to mend it.

Options:
  --fix       mend what can be mended without a password: packages, builds, nats-server
  --json      one JSON object: { ok, checks: [{ name, status, found, mend }] }
  -h, --help  this text

Examples:
  $ actors doctor
  $ actors doctor --fix
  $ actors doctor --json | jq '.checks[] | select(.status != "ok")'

Exit code: 0, or 1 when a check failed.
`;

/** @typedef {{ name: string } & import("./check.mjs").Finding} Result */

/**
 * @param {string[]} args what follows \`doctor\`
 * @returns {Promise<number>} the exit code
 */
export async function main(args) {
  const options = parse(args);
  if (!options) return 2;
  if (options.help) {
    process.stdout.write(help);
    return 0;
  }
  const results = await interruptibly(async () => {
    const found = await examine();
    return options.fix && (await mend(found)) ? examine() : found;
  });
  const ok = results.every(({ status }) => status !== "fail");
  if (options.json) {
    const checks = results.map(({ name, status, found, mend }) => ({ name, status, found, mend: mend ?? null }));
    process.stdout.write(`${JSON.stringify({ ok, checks })}\n`);
  } else {
    process.stdout.write(render(results, process.stdout.isTTY === true));
  }
  return ok ? 0 : 1;
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({
      args,
      options: {
        fix: { type: "boolean" },
        json: { type: "boolean" },
        debug: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    const unknown = /'([^']+)'/.exec(error instanceof Error ? error.message : "")?.[1] ?? args.join(" ");
    process.stderr.write(`actors: doctor does not know ${unknown}\n  \`actors doctor --help\` lists its options.\n`);
    return undefined;
  }
}

/** @returns {Promise<Result[]>} */
function examine() {
  return Promise.all([...software, ...machine, ...cuda].map(async ({ name, look }) => ({ name, ...(await look()) })));
}

/**
 * Mends in the order of the checks, which is the order in which they build on each other.
 * @param {Result[]} results
 * @returns {Promise<boolean>} whether anything was tried
 */
async function mend(results) {
  const broken = results.filter(({ fix }) => fix);
  for (const { name, fix } of broken) {
    interrupted.throwIfAborted();
    process.stderr.write(`actors: mending ${name}\n`);
    try {
      await fix?.();
    } catch (error) {
      report(error, false);
    }
  }
  return broken.length > 0;
}

const colours = { ok: "\x1b[32m", warn: "\x1b[33m", fail: "\x1b[31m" };

/**
 * @param {Result[]} results
 * @param {boolean} colour
 */
export function render(results, colour) {
  const width = Math.max(...results.map(({ name }) => name.length));
  const lines = results.map(({ name, status, found, mend }) => {
    const mark = colour ? `${colours[status]}${status.padEnd(4)}\x1b[0m` : status.padEnd(4);
    return `${mark}  ${name.padEnd(width)}  ${found}${mend ? `\n${" ".repeat(width + 8)}-> ${mend}` : ""}\n`;
  });
  const count = (/** @type {string} */ status) => results.filter((r) => r.status === status).length;
  const total = `${count("ok")} ok, ${count("warn")} to mend or know, ${count("fail")} failed\n`;
  return `${lines.join("")}${total}`;
}
