import { basename } from "node:path";
import { z } from "zod";
import { EditError, pathIn } from "../editor.js";
import type { SandboxFile } from "../sandbox.js";
import type { Actor } from "./actions.js";
import { type Call, Download, HttpError } from "./http.js";
import { unzip, type ZipFile, zip } from "./zip.js";

/** Of an upload or a download, packed or not. */
const maxBytes = 128 << 20;
const maxFiles = 10_000;
const atOnce = 200;
const findMs = 20_000;

export const listSchema = z.object({ path: z.string().nullish() });

type Held = Omit<Actor, "terminal" | "history">;

/** Folders first, with a slash at their end; nothing where there is no such folder. */
export async function listFiles({ path }: z.output<typeof listSchema>, held: Held): Promise<string[]> {
  const entries = await held.sandbox.list(within(path || held.workspace, held)).catch(() => []);
  const named = (isFolder: boolean) =>
    entries
      .filter(({ kind }) => (kind === "folder") === isFolder)
      .map(({ name }) => (isFolder ? `${name}/` : name))
      .sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase()));
  return [...named(true), ...named(false)];
}

/** One file as a form's `file`, or a ZIP archive of many. It is unpacked here, and each file of it written inside. */
export async function uploadFile(call: Call, held: Held): Promise<object> {
  const destination = call.query("destination");
  const recursive = call.url.searchParams.get("recursive") === "true";
  if (!destination.startsWith("/")) throw new HttpError(400, "destination must be an absolute path");
  const to = within(destination, held);
  const type = call.header("content-type");
  if (!type.startsWith("multipart/form-data")) throw new HttpError(415, "the body must be multipart/form-data");
  const form = await new Response(await call.body(maxBytes), { headers: { "content-type": type } })
    .formData()
    .catch(() => null);
  const file = form?.get("file");
  if (!(file instanceof File)) throw new HttpError(422, "the form has no file named `file`");
  const content = Buffer.from(await file.arrayBuffer());
  const isArchive = recursive || file.name.endsWith(".zip");
  const files = isArchive ? unzip(content, maxBytes) : [{ path: basename(file.name), content, mode: 0 }];
  await writeAll(files, to, held);
  return { filename: file.name, destination, recursive };
}

async function writeAll(files: readonly ZipFile[], to: string, { sandbox }: Held): Promise<void> {
  if (files.length > maxFiles) throw new HttpError(400, `more than ${maxFiles} files`);
  const all = files.map(({ path, content, mode }): SandboxFile => {
    if (path.split("/").includes("..") || path.startsWith("/")) throw new HttpError(400, `${path} leads out of it`);
    return { path: to === "" ? path : `${to}/${path}`, content, ...(mode !== 0 && { mode }) };
  });
  for (let at = 0; at < all.length; at += atOnce) await sandbox.write(...all.slice(at, at + atOnce));
}

/** The files of a folder, or one file, as a ZIP archive. */
export async function downloadFiles(call: Call, held: Held): Promise<Download> {
  const path = call.query("path");
  if (!path.startsWith("/")) throw new HttpError(400, "path must be absolute");
  const from = within(path, held);
  const name = `${basename(path)}.zip`;
  const [one] = await held.sandbox.run([{ read: from }]);
  if (one?.ok) {
    const content = await held.sandbox.read(from);
    return new Download(zip([{ path: basename(path), content, mode: 0o644 }]), "application/zip", name);
  }
  if (one?.error.startsWith("ENOENT")) throw new HttpError(404, `there is no ${path}`);
  const find = ["find", ".", "-type", "f", "-print0"];
  const found = await held.sandbox.exec(find, { cwd: from || ".", timeoutMs: findMs, maxOutput: 4 << 20 });
  const paths = String(found.stdout)
    .split("\0")
    .slice(0, -1)
    .map((each) => each.slice(2));
  if (found.truncated || paths.length > maxFiles) throw new HttpError(400, `${path} has more than ${maxFiles} files`);
  const files: ZipFile[] = [];
  let left = maxBytes;
  for (let at = 0; at < paths.length; ) {
    const part = paths.slice(at, at + atOnce);
    const results = await held.sandbox.run(part.map((each) => ({ read: from === "" ? each : `${from}/${each}` })));
    for (const [i, { ok, data, truncated }] of results.entries()) {
      if (!ok) continue; // gone, or not to be read
      if (truncated) throw new HttpError(400, `${part[i]} is larger than 16 MiB`);
      left -= data.length;
      if (left < 0) throw new HttpError(400, `${path} is larger than ${maxBytes >> 20} MiB`);
      files.push({ path: part[i] ?? "", content: Buffer.from(data), mode: 0o644 });
    }
    at += results.length;
  }
  return new Download(zip(files), "application/zip", name);
}

function within(path: string, { workspace }: Held): string {
  try {
    return pathIn({ workspace, root: workspace }, path);
  } catch (error) {
    throw error instanceof EditError ? new HttpError(400, error.message) : error;
  }
}
