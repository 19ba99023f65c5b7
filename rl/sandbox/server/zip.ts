import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import { HttpError } from "./http.js";

// The ZIP format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. No encryption, no archives of 4 GiB or in parts.

export interface ZipFile {
  path: string;
  content: Buffer;
  /** Permissions; 0 where the archive names none. */
  mode: number;
}

const [localSign, centralSign, endSign] = [0x04034b50, 0x02014b50, 0x06054b50];
const [localSize, centralSize, endSize] = [30, 46, 22];
const [stored, deflated] = [0, 8];
const utf8 = 1 << 11;
const byUnix = 3 << 8;

export function zip(files: readonly ZipFile[]): Buffer {
  const [parts, entries]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const { path, content, mode } of files) {
    const name = Buffer.from(path, "utf8");
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // version that can read it
    common.writeUInt16LE(utf8, 2);
    common.writeUInt16LE(deflated, 4);
    common.writeUInt16LE(0x21, 8); // 1 January 1980
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const entry = Buffer.alloc(centralSize);
    entry.writeUInt32LE(centralSign, 0);
    entry.writeUInt16LE(byUnix | 20, 4);
    common.copy(entry, 6);
    entry.writeUInt32LE((0o100000 | mode) * 65_536, 38);
    entry.writeUInt32LE(offset, 42);
    const sign = Buffer.alloc(4);
    sign.writeUInt32LE(localSign, 0);
    parts.push(sign, common, name, packed);
    entries.push(entry, name);
    offset += localSize + name.length + packed.length;
  }
  const end = Buffer.alloc(endSize);
  end.writeUInt32LE(endSign, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(
    entries.reduce((sum, { length }) => sum + length, 0),
    12,
  );
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...entries, end]);
}

/** Its regular files; folders come with them, links are left out. @throws HttpError 400, also for more than `maxBytes` unpacked */
export function unzip(bytes: Buffer, maxBytes: number): ZipFile[] {
  try {
    return [...entriesOf(bytes, maxBytes)];
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError(400, "the upload is not a ZIP archive that can be read");
  }
}

function* entriesOf(bytes: Buffer, maxBytes: number): Generator<ZipFile> {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  let at = bytes.readUInt32LE(end + 16);
  let left = maxBytes;
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count--) {
    if (bytes.readUInt32LE(at) !== centralSign) throw new RangeError("no entry");
    const [method, packed, nameSize] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
    ];
    const mode = bytes.readUInt32LE(at + 38) >>> 16;
    const local = bytes.readUInt32LE(at + 42);
    const path = bytes.toString("utf8", at + centralSize, at + centralSize + nameSize);
    at += centralSize + nameSize + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    const kind = mode & 0o170000;
    if (path.endsWith("/") || (kind !== 0 && kind !== 0o100000)) continue;
    const from = local + localSize + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = unpacked(method, bytes.subarray(from, from + packed), left);
    left -= content.length;
    yield { path, content, mode: mode & 0o777 };
  }
}

function unpacked(method: number, packed: Buffer, most: number): Buffer {
  if (method !== stored && method !== deflated) throw new HttpError(400, `packed by method ${method}, not by deflate`);
  try {
    if (method === deflated) return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) });
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_BUFFER_TOO_LARGE") throw error;
    throw new HttpError(400, "the archive is too large when unpacked");
  }
  if (packed.length > most) throw new HttpError(400, "the archive is too large when unpacked");
  return packed;
}
