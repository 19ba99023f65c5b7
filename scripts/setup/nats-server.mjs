import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { SetupError } from "./errors.mjs";
import { run, tail } from "./run.mjs";

const howTo =
  "Install it (Debian: apt install nats-server; macOS: brew install nats-server; else https://docs.nats.io), or name one in $ACTORS_NATS_SERVER.";

/** The copy that set-up unpacks. runtime/cluster/nats-binary.ts looks for it in the same places. */
export const unpacked = () => join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "actors", "nats-server");

/** $ACTORS_NATS_SERVER, else the PATH, else Debian's place, else the unpacked copy. */
export function findNatsServer() {
  const named = process.env.ACTORS_NATS_SERVER;
  if (named) return isExecutable(named) ? named : undefined;
  const onPath = (process.env.PATH ?? "").split(delimiter).map((dir) => join(dir, "nats-server"));
  return [...onPath, "/usr/sbin/nats-server", unpacked()].find(isExecutable);
}

/** @returns {import("./set-up.mjs").Step} */
export function natsServerStep() {
  return {
    doing: "getting nats-server",
    isDone: () => findNatsServer() !== undefined,
    async work() {
      const named = process.env.ACTORS_NATS_SERVER;
      if (named)
        throw new SetupError(
          `$ACTORS_NATS_SERVER is ${named}, which cannot be run`,
          "Name an executable file, or unset it.",
        );
      await unpackFromDebian();
      return `nats-server unpacked to ${unpacked()}`;
    },
  };
}

/**
 * Takes the binary out of the distribution's package. It is not installed, even as root: its package would start a service.
 */
async function unpackFromDebian() {
  if (!isOnPath("apt-get") || !isOnPath("dpkg")) throw new SetupError("there is no nats-server on this machine", howTo);
  const target = unpacked();
  mkdirSync(join(target, ".."), { recursive: true });
  const work = mkdtempSync(`${target}-`);
  try {
    await download(work);
    const deb = readdirSync(work).find((name) => name.endsWith(".deb"));
    const { code, output } = await run("dpkg", ["-x", deb ?? "missing.deb", "root"], { cwd: work, timeoutMs: 60_000 });
    if (code !== 0) throw new SetupError(`Debian's package of nats-server cannot be unpacked:${tail(output)}`, howTo);
    const fresh = join(work, "nats-server");
    copyFileSync(join(work, "root", "usr", "sbin", "nats-server"), fresh);
    chmodSync(fresh, 0o755);
    renameSync(fresh, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * With the package lists of the system, else with fresh ones of our own, which needs no root.
 * @param {string} work
 */
async function download(work) {
  const fetchDeb = (/** @type {string[]} */ options) =>
    run("apt-get", [...options, "download", "nats-server"], { cwd: work, timeoutMs: 5 * 60_000 });
  if ((await fetchDeb([])).code === 0) return;
  const lists = join(work, "lists");
  mkdirSync(join(lists, "partial"), { recursive: true });
  const own = ["-o", `Dir::State::lists=${lists}`, "-o", `Dir::Cache=${work}`, "-o", "APT::Sandbox::User="];
  await run("apt-get", [...own, "update"], { cwd: work, timeoutMs: 5 * 60_000 });
  const { code, output } = await fetchDeb(own);
  if (code !== 0) throw new SetupError(`nats-server cannot be downloaded with apt:${tail(output, 5)}`, howTo);
}

/** @param {string} name */
const isOnPath = (name) => (process.env.PATH ?? "").split(delimiter).some((dir) => isExecutable(join(dir, name)));

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
