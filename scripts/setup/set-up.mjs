import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "./errors.mjs";
import { interruptibly } from "./interrupts.mjs";
import { withLock } from "./lock.mjs";
import { nativeStep } from "./native.mjs";
import { natsServerStep } from "./nats-server.mjs";
import { npmStep } from "./npm.mjs";
import { root } from "./paths.mjs";
import { typescriptStep } from "./typescript.mjs";

/**
 * @typedef {object} Step
 * @property {string} doing what is shown while it runs
 * @property {() => boolean} isDone cheap: it runs at every start
 * @property {() => Promise<string>} work answers what was done, for one line, or nothing if there was nothing to do; throws a SetupError
 */

/** @typedef {"npm" | "typescript" | "native" | "nats-server"} StepName */

/** @type {Record<StepName, Step>} */
export const steps = {
  npm: npmStep(root),
  typescript: typescriptStep(root),
  native: nativeStep(root),
  "nats-server": natsServerStep(),
};

const lockMs = 30 * 60_000;

/**
 * Does those of the steps that are not done yet, one line each on stderr; says nothing when there is nothing to do.
 * @param {StepName[]} names in the order in which they depend on each other
 */
export async function setUp(names) {
  if (names.every((name) => steps[name].isDone())) return;
  const say = progressLine(process.stderr);
  const lock = join(root, "dist", ".setup.lock");
  const waiting = (/** @type {number} */ pid) => say.doing(`waiting for the set-up by process ${pid}`);
  refuseForeignFolder(root);
  await interruptibly(() =>
    withLock(lock, lockMs, waiting, async () => {
      for (const name of names) {
        const step = steps[name];
        if (step.isDone()) continue; // by whom we waited for
        say.doing(step.doing);
        const started = performance.now();
        try {
          const done = await step.work();
          if (done) say.done(`${done} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
        } finally {
          say.clear();
        }
      }
      say.clear();
    }),
  );
}

/** @param {string} dir */
function refuseForeignFolder(dir) {
  try {
    accessSync(dir, constants.W_OK);
    mkdirSync(join(dir, "dist"), { recursive: true });
    accessSync(join(dir, "dist"), constants.W_OK);
  } catch {
    throw new SetupError(
      `the set-up of ${dir} is not up to date, and this user may not write there`,
      "Run the command once as the owner of the folder.",
    );
  }
}

/**
 * On a terminal the current step shows and is replaced by its result; elsewhere only results are written.
 * @param {NodeJS.WriteStream} out
 */
function progressLine(out) {
  const clear = () => out.isTTY && out.write("\r\x1b[K");
  return {
    clear,
    /** @param {string} text */
    doing: (text) => out.isTTY && out.write(`\r\x1b[K${`actors: ${text} …`.slice(0, out.columns - 1)}`),
    /** @param {string} text */
    done(text) {
      clear();
      out.write(`actors: ${text}\n`);
    },
  };
}
