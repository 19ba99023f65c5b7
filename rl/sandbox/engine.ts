import { execFile } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { promisify } from "node:util";
import { ActorsError, type Logger } from "../../runtime/index.js";
import type { Image } from "./backend.js";
import { isLeftover } from "./leftovers.js";
import type { PullPolicy } from "./names.js";

export type EngineName = "docker" | "podman";

const askMs = 20_000;
const pullMs = 1_800_000;
const removeMs = 30_000;
const run = promisify(execFile);

export const ownerLabel = "actors.sandbox.owner";
export const machineLabel = "actors.sandbox.machine";

/** Where process ids mean what they mean to us: another machine's, or container's, owners may use the same engine. */
export function machineId(): string {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return `${boot}/${readlinkSync("/proc/self/ns/pid")}`;
}

/** A container engine by its command line. */
export class Engine {
  readonly name: EngineName;
  readonly #pull: PullPolicy;
  readonly #images = new Map<string, Promise<void>>();

  constructor(name: EngineName, pull: PullPolicy) {
    this.name = name;
    this.#pull = pull;
  }

  /** @throws ActorsError UNAVAILABLE, not retryable, that says whether it is not installed or does not answer */
  async check(): Promise<void> {
    // podman has no server to ask for
    const ask = this.name === "docker" ? ["version", "--format", "{{.Server.Version}}"] : ["info", "--format", "json"];
    await this.#ask(ask, askMs).catch((error: Failure) => {
      const missing = error.code === "ENOENT";
      const what = missing
        ? `${this.name} is not installed`
        : `${this.name} is installed but its engine does not answer: ${lastLine(error)}`;
      throw new ActorsError("UNAVAILABLE", what, { cause: error, retryable: false });
    });
  }

  /** Once for each image. @throws ActorsError NOT_FOUND, or UNAVAILABLE when it could not be pulled */
  ready(image: Image): Promise<void> {
    const known = this.#images.get(image.name);
    if (known) return known;
    const made = this.#provide(image.name);
    this.#images.set(image.name, made);
    made.catch(() => this.#images.delete(image.name));
    return made;
  }

  async has(image: string): Promise<boolean> {
    return this.#ask(["image", "inspect", "--format", "{{.Id}}", image], askMs).then(
      () => true,
      () => false,
    );
  }

  async #provide(image: string): Promise<void> {
    if (await this.has(image)) return;
    if (this.#pull === "never")
      throw new ActorsError("NOT_FOUND", `${this.name} has no image ${image}, and the pull policy is "never"`, {
        hint: `Run \`${this.name} pull ${image}\`, or set environment.sandbox_pull to missing.`,
      });
    await this.#ask(["pull", "--quiet", image], pullMs).catch((error: Failure) => {
      throw new ActorsError("UNAVAILABLE", `${this.name} cannot pull ${image}: ${lastLine(error)}`, { cause: error });
    });
  }

  async remove(...names: string[]): Promise<void> {
    if (names.length > 0) await this.#ask(["rm", "--force", "--volumes", ...names], removeMs);
  }

  /** Removes the containers whose owner, a process of this machine, is no more. */
  async sweep(log: Logger): Promise<void> {
    try {
      const names = await this.ours();
      await this.remove(...names.filter(isLeftover));
    } catch (error) {
      log.warn(`containers that ended owners left could not be removed: ${lastLine(error as Failure)}`);
    }
  }

  /** Names of the containers that processes of this machine made. */
  async ours(): Promise<string[]> {
    const filter = `label=${machineLabel}=${machineId()}`;
    const out = await this.#ask(["ps", "--all", "--filter", filter, "--format", "{{.Names}}"], askMs);
    return out.split("\n").filter((name) => name !== "");
  }

  async #ask(args: string[], timeout: number): Promise<string> {
    return (await run(this.name, args, { timeout, killSignal: "SIGKILL", cwd: "/" })).stdout;
  }
}

type Failure = Error & { code?: unknown; stderr?: string };

/** What the engine said last; its first lines are often warnings. */
function lastLine({ stderr, message }: Failure): string {
  return (stderr ?? "").trim().split("\n").at(-1) || message;
}
