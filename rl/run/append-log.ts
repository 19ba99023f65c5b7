import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { ActorsError } from "../../runtime/index.js";
import { onDisk } from "./disk.js";

const checksumLength = 16;
const digest = (payload: Uint8Array) => createHash("sha256").update(payload).digest("hex").slice(0, checksumLength);
const headOf = /^([0-9a-f]{16}) (\d{1,10})\n/;
const maxHead = checksumLength + 12;

interface Frame {
  payload: Buffer;
  /** One past the frame. */
  end: number;
}

/**
 * Records that are on disk once they are acknowledged. A record is `checksum length\npayload\n`, the checksum half of SHA-256: a
 * file of JSON records can be read by eye, and what a crash cut off in the middle of a write is told from what was whole.
 */
export class AppendLog {
  readonly path: string;
  readonly #file: FileHandle;
  #waiting: Buffer[] = [];
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  /** After it nothing is written: it may have left half a record, and what came behind would count as damage. */
  #failure: unknown;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  /**
   * The log and the records in it. A torn tail, which was never acknowledged, is cut off.
   * @throws ActorsError UNAVAILABLE when a record is damaged that others follow: then what was acknowledged is no longer there
   */
  static async open(path: string): Promise<{ log: AppendLog; records: Buffer[]; tornBytes: number }> {
    return onDisk(path, async () => {
      const file = await open(path, "a+");
      try {
        const bytes = await file.readFile();
        const { records, end } = parse(bytes, path);
        if (end < bytes.length) await file.truncate(end);
        await file.sync();
        await syncFolder(dirname(path));
        return { log: new AppendLog(path, file), records, tornBytes: bytes.length - end };
      } catch (error) {
        await file.close();
        throw error;
      }
    });
  }

  /** Resolves when the record is on disk. Those that wait at the same time share one write and one fsync. */
  append(payload: Uint8Array): Promise<void> {
    this.#waiting.push(frame(payload));
    this.#next ??= this.#writing.then(() => this.#flush());
    return this.#next;
  }

  async close(): Promise<void> {
    await (this.#next ?? this.#writing).catch(() => {}); // told to whoever appended
    await this.#file.close();
  }

  #flush(): Promise<void> {
    const batch = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#next = undefined;
    const written = this.#write(batch);
    this.#writing = written.catch((error: unknown) => {
      this.#failure ??= error;
    });
    return written;
  }

  async #write(batch: Buffer): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    await onDisk(this.path, async () => {
      await this.#file.appendFile(batch);
      await this.#file.datasync();
    });
  }
}

/** A file's name is on disk only once its folder is. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function frame(payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${digest(payload)} ${payload.length}\n`), payload, Buffer.from("\n")]);
}

/** The records, and where the last whole one ends. */
export function parse(bytes: Buffer, path: string): { records: Buffer[]; end: number } {
  const records: Buffer[] = [];
  let end = 0;
  for (let next = frameAt(bytes, end); next; next = frameAt(bytes, end)) {
    records.push(next.payload);
    end = next.end;
  }
  if (followed(bytes, end)) {
    throw new ActorsError("UNAVAILABLE", `${path} is damaged at byte ${end}: whole records follow one that is not`, {
      hint: "Restore the file from a copy; what it acknowledged cannot be known without it.",
      retryable: false,
    });
  }
  return { records, end };
}

function frameAt(bytes: Buffer, start: number): Frame | undefined {
  const found = headOf.exec(bytes.toString("latin1", start, start + maxHead));
  if (!found) return undefined;
  const from = start + found[0].length;
  const to = from + Number(found[2]);
  if (bytes[to] !== 0x0a) return undefined;
  const payload = bytes.subarray(from, to);
  return digest(payload) === found[1] ? { payload, end: to + 1 } : undefined;
}

/** Whether a whole record begins anywhere behind `start`: then what is there is no torn tail. */
function followed(bytes: Buffer, start: number): boolean {
  for (let at = bytes.indexOf(0x0a, start); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
    if (frameAt(bytes, at + 1)) return true;
  }
  return false;
}
