import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { ask, ok, versionIn, warn } from "./check.mjs";

/** @type {import("./check.mjs").Check[]} */
export const cuda = [
  { name: "CUDA driver", look: driver },
  { name: "CUDA toolkit", look: toolkit },
  { name: "NCCL", look: nccl },
];

const none = "none: work runs on the CPU";
const hasDevice = () => existsSync("/dev/nvidiactl") || existsSync("/proc/driver/nvidia/version");

async function driver() {
  const list = await ask("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader");
  if (list) {
    const cards = list.split("\n").map((line) => line.split(",").map((field) => field.trim()));
    const [name, version, memory] = cards[0] ?? [];
    const newest = /CUDA Version:\s*([\d.]+)/.exec((await ask("nvidia-smi")) ?? "")?.[1];
    return ok(`${version}${newest ? `, up to CUDA ${newest}` : ""}; ${cards.length} x ${name}, ${memory}`);
  }
  if (!hasDevice()) return ok(none);
  return warn(
    "a GPU is there, but nvidia-smi does not answer",
    "Install the driver that fits the kernel; in a container use --gpus all.",
  );
}

async function toolkit() {
  const path = ["nvcc", join(process.env.CUDA_HOME ?? "/usr/local/cuda", "bin", "nvcc")];
  for (const nvcc of path) {
    const version = /release ([\d.]+)/.exec((await ask(nvcc, "--version")) ?? "")?.[1];
    if (version) return ok(version);
  }
  if (!hasDevice()) return ok(none);
  return warn("no nvcc: the GPU stays unused", "Install the CUDA toolkit 12 or newer, or set $CUDA_HOME.");
}

async function nccl() {
  const path = await libraryPath("libnccl.so.2");
  if (path) return ok(`${versionIn(realpathSync(path).split(".so.")[1]) ?? "present"} (${path})`);
  if (!hasDevice()) return ok(none);
  return warn(
    "no libnccl.so.2: GPUs cannot work together",
    "Debian: apt install libnccl2, or name its folder in $LD_LIBRARY_PATH.",
  );
}

/** @param {string} name */
async function libraryPath(name) {
  const folders = (process.env.LD_LIBRARY_PATH ?? "").split(":").filter((dir) => dir && existsSync(dir));
  const own = folders.find((dir) => readdirSync(dir).includes(name));
  if (own) return join(own, name);
  const cache = (await ask("ldconfig", "-p")) ?? (await ask("/sbin/ldconfig", "-p")) ?? "";
  return cache
    .split("\n")
    .find((line) => line.trim().startsWith(`${name} `))
    ?.split("=> ")[1];
}
