import { spawn } from "node:child_process";
import { ActorsError, type Logger, makeLogger } from "../../runtime/index.js";
import { commandEnv, type Image, nextName, requireSandboxd, type SandboxBackend } from "./backend.js";
import { totalMemory, totalProcesses } from "./cgroup.js";
import { SandboxProcess } from "./channel.js";
import { Engine, type EngineName, machineId, machineLabel, ownerLabel } from "./engine.js";
import { prefix } from "./leftovers.js";
import { childLink } from "./link.js";
import type { PullPolicy } from "./names.js";
import type { SandboxLimits } from "./session.js";
import { unpackedOver } from "./workspaces.js";

/** Of a container: an engine that is busy takes its time. */
const startMs = 60_000;
const scratchMb = 32;
const inside = "/run/sandboxd";
/** Users are counted across containers, so how many processes one has says nothing: their control group bounds them. */
const anyProcesses = 1 << 20;
/** Its own default may be more than the machine allows. */
const podmanProcesses = "nproc=16384:16384";

/**
 * A container for each sandbox, without network and capabilities, with our static sandboxd as its first process: the same frames
 * as under bubblewrap. Its stdin ends with its owner, and it with its stdin.
 */
export class ContainerBackend implements SandboxBackend {
  readonly name: EngineName;
  readonly caveat = "the log of what was proven is of environment.sandbox_image: other images were not tried";
  readonly engine: Engine;
  readonly #log: Logger;
  #swept: Promise<void> | undefined;

  constructor(name: EngineName, { pull = "never", log = makeLogger("sandbox") }: ContainerOptions = {}) {
    this.name = name;
    this.engine = new Engine(name, pull);
    this.#log = log;
  }

  async start(limits: SandboxLimits, image?: Image | null): Promise<SandboxProcess> {
    if (!image)
      throw new ActorsError("INVALID_ARGUMENT", `the ${this.name} backend needs an image`, {
        hint: "Set environment.sandbox_image, such as debian:12, for sandboxes whose task names none.",
      });
    const sandboxd = await requireSandboxd();
    this.#swept ??= this.engine.check().then(() => this.engine.sweep(this.#log));
    await this.#swept.catch((error) => {
      this.#swept = undefined;
      throw error;
    });
    await this.engine.ready(image);
    const id = nextName(this.name);
    const name = `${prefix}${process.pid}-${id}`;
    const args = containerArguments(this.name, { name, image, limits, sandboxd });
    const child = spawn(this.name, args, { stdio: ["pipe", "pipe", "pipe"], cwd: "/", detached: true });
    const link = childLink(child);
    // The engine removes what ended by itself. When its client was killed, nobody else does.
    const remove = async () => {
      if (child.signalCode !== null || child.exitCode === null) await this.engine.remove(name);
    };
    const workspace = image.workspace ?? "/workspace";
    try {
      const sandbox = await SandboxProcess.start(id, link, workspace, startMs);
      sandbox.image = image;
      sandbox.workspaces = image.workspace === undefined ? sandbox.workspaces : unpackedOver;
      sandbox.removing(remove);
      return sandbox;
    } catch (error) {
      link.ended.then(remove).catch(() => {}); // the next start sweeps it
      throw error;
    }
  }

  close(): void {}
}

export interface ContainerOptions {
  /** Default: never. */
  pull?: PullPolicy;
  log?: Logger;
}

interface Container {
  name: string;
  image: Image;
  limits: SandboxLimits;
  /** Path of the static program on the host. */
  sandboxd: string;
}

/** Of `docker run` and `podman run`. */
export function containerArguments(engine: EngineName, { name, image, limits, sandboxd }: Container): string[] {
  const tmpfs = (path: string, mb: number, rest: string) => [
    "--tmpfs",
    `${path}:rw,nosuid,nodev,exec,size=${mb}m,${rest}`,
  ];
  const args = ["run", "--rm", "--interactive", "--name", name, "--pull", "never", "--log-driver", "none"];
  args.push("--label", `${ownerLabel}=${process.pid}`, "--label", `${machineLabel}=${machineId()}`);
  args.push("--network", "none", "--hostname", "sandbox", "--workdir", "/");
  args.push("--cap-drop", "ALL", "--security-opt", "no-new-privileges");
  args.push("--memory", `${totalMemory(limits)}b`, "--memory-swap", `${totalMemory(limits)}b`);
  args.push("--pids-limit", `${totalProcesses(limits)}`, "--cpus", `${limits.cpus}`);
  args.push("--shm-size", `${scratchMb}m`, ...tmpfs("/tmp", scratchMb, "mode=1777"));
  args.push("--ulimit", "nofile=1024:1024");
  if (engine === "podman") args.push("--ulimit", podmanProcesses);
  if (image.workspace === undefined) {
    const owner = engine === "podman" ? "U" : "uid=1000,gid=1000";
    args.push("--read-only", "--user", "1000:1000", "--env", "HOME=/workspace");
    args.push(...tmpfs("/workspace", limits.diskMb, `mode=0755,${owner}`));
    if (engine === "podman") args.push("--read-only-tmpfs=false"); // else /run and /var/tmp can be filled
  }
  const { PATH: _, ...env } = commandEnv; // the image knows where its programs are
  for (const [key, value] of Object.entries({ ...env, TMPDIR: "/tmp" })) args.push("--env", `${key}=${value}`);
  args.push("--mount", `type=bind,source=${sandboxd},target=${inside},readonly`, "--entrypoint", inside, image.name);
  args.push("serve", `workspace=${image.workspace ?? "/workspace"}`, "scratch=/tmp", "scratch=/dev/shm");
  args.push(`processes=${anyProcesses}`, `memory_mb=${limits.memoryMb}`, `file_mb=${limits.diskMb}`);
  return args;
}
