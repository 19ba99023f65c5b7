import { close, open, unlink, write } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ActorsError } from "../core/errors.js";

const [openFile, unlinkFile, writeFile, closeFile] = [
  promisify(open),
  promisify(unlink),
  promisify(write),
  promisify(close),
];

/**
 * Writes a file that has lost its name before it has content: other processes reach it through its owner, and it is
 * gone with the last that has it open. @returns its descriptor
 * @throws ActorsError RESOURCE_EXHAUSTED when the disk is full, UNAVAILABLE when the folder cannot be written to
 */
export async function writeNameless(dir: string, id: string, content: Iterable<Uint8Array>): Promise<number> {
  let descriptor: number | undefined;
  try {
    const path = join(dir, `object-${process.pid}-${id}`);
    descriptor = await openFile(path, "wx+", 0o600);
    await unlinkFile(path);
    for (const piece of content) {
      for (let done = 0; done < piece.length; ) done += (await writeFile(descriptor, piece, done)).bytesWritten;
    }
    return descriptor;
  } catch (cause) {
    if (descriptor !== undefined) await closeFile(descriptor);
    const { code, message } = cause as NodeJS.ErrnoException;
    const full = code === "ENOSPC" || code === "EDQUOT";
    throw new ActorsError(
      full ? "RESOURCE_EXHAUSTED" : "UNAVAILABLE",
      `an object could not be written to ${dir}: ${message}`,
      { cause, hint: "$TMPDIR names the folder where `actors up` makes it." },
    );
  }
}
