import { access, constants, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { ActorsError } from "../../runtime/index.js";
import type { SandboxProcess } from "./channel.js";
import type { BackendName } from "./names.js";
import type { SandboxLimits } from "./session.js";

/** What a sandbox starts from, on a backend that has images. */
export interface Image {
  /** As the engine knows it, such as `debian:12`. */
  name: string;
  /**
   * Absolute path of the folder in it that is the workspace. All of the image can then be written to as far as its user may, and
   * such a sandbox is used once. Default: an empty folder in memory, and a root that nobody can write to.
   */
  workspace?: string;
}

/** What a live attempt inside a sandbox found; names are those of native/sandboxd/probe.cpp. */
export interface Guarantees {
  proven: string[];
  /** Name and what was possible. */
  missing: string[];
}

/** A way to start sandboxd apart from the host. */
export interface SandboxBackend {
  readonly name: BackendName;
  /** What it does not do by design, for the log. */
  readonly caveat: string | null;
  /**
   * @param image null: programs of the backend's own
   * @throws ActorsError UNAVAILABLE with what the system said, INVALID_ARGUMENT where an image is asked for and there are none, or
   * none is and one is needed, NOT_FOUND for an image that is not there
   */
  start(limits: SandboxLimits, image?: Image | null): Promise<SandboxProcess>;
  /** What was proven elsewhere, where an attempt from here would prove nothing. */
  guarantees?(): Promise<Guarantees>;
  /** When no sandbox of it is left. It can start others afterwards. */
  close(): void;
}

export function refuseImage(backend: BackendName, image: Image | null | undefined): void {
  if (!image) return;
  throw new ActorsError("INVALID_ARGUMENT", `the ${backend} backend has no images, and ${image.name} is asked for`, {
    hint: "Set environment.sandbox_backend to docker or podman.",
  });
}

/** Where the native build puts it; this file runs from dist/rl/sandbox. */
export const sandboxdPath = fileURLToPath(new URL("../../../native/build/sandboxd", import.meta.url));

export async function requireSandboxd(): Promise<string> {
  try {
    await access(sandboxdPath, constants.X_OK);
    return sandboxdPath;
  } catch (cause) {
    throw new ActorsError("UNAVAILABLE", `${sandboxdPath} is missing`, {
      cause,
      retryable: false,
      hint: "Build it with `node native/build.mjs`.",
    });
  }
}

/** Environment of every command: nothing of the host's. */
export const commandEnv = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
  LANG: "C.UTF-8",
  TZ: "UTC",
  PYTHONHASHSEED: "0",
};

let counter = 0;
export function nextName(backend: BackendName): string {
  return `${backend}-${process.pid}-${++counter}`;
}

/** Users from here on belong to sandboxes: the owner's pid and a counter make each unlike any other's. */
export const firstSandboxUser = 0x4000_0000;
const sharedUser = 60_900;
let users = 0;

/**
 * A user to run a sandbox as when we are root, so that it owns nothing and signals nobody. A container without the full
 * range of user ids has one for all. Null when we are not root: the sandbox keeps our user.
 */
export async function sandboxUser(): Promise<number | null> {
  if (process.getuid?.() !== 0) return null;
  if (!(await hasAllUsers())) return sharedUser;
  return firstSandboxUser + ((process.pid & 0x3f_ffff) << 8) + (++users & 0xff);
}

let allUsers: Promise<boolean> | undefined;
function hasAllUsers(): Promise<boolean> {
  allUsers ??= readFile("/proc/self/uid_map", "utf8").then(
    (map) => /^\s*0\s+0\s+4294967295\s*$/.test(map),
    () => false,
  );
  return allUsers;
}
