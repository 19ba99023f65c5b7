import { ActorsError } from "../../runtime/index.js";

const causes: Record<string, [what: string, hint: string]> = {
  ENOSPC: ["the disk is full", "Free some space, or keep the runs on another disk."],
  EDQUOT: ["the disk quota is used up", "Free some space, or keep the runs on another disk."],
  EACCES: ["no permission", "Make the folder writable, or start `actors` in one that is."],
  EPERM: ["no permission", "Make the folder writable, or start `actors` in one that is."],
  EROFS: ["the file system is read-only", "Start `actors` in a folder you may write to."],
  EEXIST: ["a file is where the folder should be", "Move it away."],
  ENOTDIR: ["a file is where the folder should be", "Move it away."],
};

/** Does `work` on `path`; what the disk refuses becomes one clear error. */
export async function onDisk<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw diskError(path, cause);
  }
}

export function diskError(path: string, cause: unknown): unknown {
  // A native error carries the errno in its message, an error of a worker or another process in its details.
  const { code, message, details } = cause as { code?: string; message?: string; details?: { code?: string } };
  const found = [code, details?.code].find((c) => c !== undefined && c in causes) ?? errnoIn(message ?? "");
  if (!found) return cause;
  const [what, hint] = causes[found]!;
  return new ActorsError("UNAVAILABLE", `cannot write ${path}: ${what}`, { cause, hint, retryable: false });
}

function errnoIn(message: string): string | undefined {
  if (/no space left/i.test(message)) return "ENOSPC";
  if (/permission denied/i.test(message)) return "EACCES";
  if (/read-only file system/i.test(message)) return "EROFS";
  return Object.keys(causes).find((code) => message.includes(code));
}
