import { run } from "../setup/run.mjs";

/** @typedef {"ok" | "warn" | "fail"} Status warn: works, but less well; fail: `actors up` cannot work */

/**
 * @typedef {object} Finding
 * @property {Status} status
 * @property {string} found what is there, with its version
 * @property {string} [mend] one sentence: what to do
 * @property {() => Promise<unknown>} [fix] what `--fix` does; absent where it takes a person
 */

/**
 * @typedef {object} Check
 * @property {string} name
 * @property {() => Promise<Finding> | Finding} look
 */

/** @type {(found: string) => Finding} */
export const ok = (found) => ({ status: "ok", found });

/**
 * @param {string} found
 * @param {string} mend
 * @param {Finding["fix"]} [fix]
 * @returns {Finding}
 */
export const warn = (found, mend, fix) => ({ status: "warn", found, mend, ...(fix && { fix }) });

/**
 * @param {string} found
 * @param {string} mend
 * @param {Finding["fix"]} [fix]
 * @returns {Finding}
 */
export const fail = (found, mend, fix) => ({ ...warn(found, mend, fix), status: "fail" });

const askMs = 15_000;

/**
 * What a command says, or undefined when it is missing, fails or hangs.
 * @param {string} command
 * @param {string[]} args
 */
export async function ask(command, ...args) {
  try {
    const { code, output } = await run(command, args, { timeoutMs: askMs });
    return code === 0 ? output.trim() : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string | undefined} text */
export const versionIn = (text) => /\d+\.\d+(\.\d+)*/.exec(text ?? "")?.[0];

/**
 * An installation by apt, where that is possible without asking for a password.
 * @param {string[]} packages
 */
export function aptFix(...packages) {
  if (process.getuid?.() !== 0) return undefined;
  return async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const options = { env, timeoutMs: 10 * 60_000 };
    await run("apt-get", ["update"], options);
    return run("apt-get", ["install", "-y", "--no-install-recommends", ...packages], options);
  };
}
