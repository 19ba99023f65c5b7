import { readFileSync, statfsSync } from "node:fs";
import { availableParallelism, freemem, totalmem } from "node:os";
import { aptFix, ask, ok, warn } from "./check.mjs";

const GiB = 2 ** 30;

/** @type {import("./check.mjs").Check[]} */
export const machine = [
  { name: "sandboxes", look: sandboxes },
  { name: "processors", look: () => ok(String(availableParallelism())) },
  { name: "memory", look: memory },
  { name: "/dev/shm", look: sharedMemory },
  { name: "disk", look: disk },
];

async function sandboxes() {
  const works = await ask("bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "true");
  if (works !== undefined) return ok(`${(await ask("bwrap", "--version")) ?? "bubblewrap"}, user namespaces work`);
  const less = "tools run in plain processes with limits, which see the whole file system";
  if ((await ask("bwrap", "--version")) === undefined) {
    return warn(`no bubblewrap: ${less}`, "Debian: apt install bubblewrap.", aptFix("bubblewrap"));
  }
  return warn(`bubblewrap may not make namespaces here: ${less}`, whyNoNamespaces());
}

function whyNoNamespaces() {
  const set = (/** @type {string} */ path) => setting(`/proc/sys/kernel/${path}`);
  if (set("unprivileged_userns_clone") === "0") return "sysctl kernel.unprivileged_userns_clone=1";
  if (set("apparmor_restrict_unprivileged_userns") === "1")
    return "sysctl kernel.apparmor_restrict_unprivileged_userns=0";
  return "In a container: start it with --security-opt seccomp=unconfined, or --cap-add SYS_ADMIN.";
}

function memory() {
  const limit = Number(setting("/sys/fs/cgroup/memory.max")); // NaN for "max"
  const total = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  const found = `${gib(total)} in all, ${gib(Math.min(total, freemem()))} free`;
  return total >= 2 * GiB ? ok(found) : warn(found, "The built-in recipe wants 2 GiB.");
}

function sharedMemory() {
  if (process.platform !== "linux") return ok("not used on this system");
  const { bsize, blocks, bavail } = statfsSync("/dev/shm");
  const found = `${gib(blocks * bsize)} in all, ${gib(bavail * bsize)} free`;
  if (bavail * bsize >= GiB / 4) return ok(found);
  return warn(found, "Weights travel through it. Docker: --shm-size=1g; else mount -o remount,size=1g /dev/shm.");
}

function disk() {
  const { bsize, bavail } = statfsSync(process.cwd());
  const found = `${gib(bavail * bsize)} free in this folder`;
  return bavail * bsize >= 2 * GiB ? ok(found) : warn(found, "Runs and the message store are kept here: free 2 GiB.");
}

/** @param {number} bytes */
const gib = (bytes) => `${(bytes / GiB).toFixed(1)} GiB`;

/** @param {string} path */
function setting(path) {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
