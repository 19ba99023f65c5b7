import { createHash, randomUUID } from "node:crypto";
import { ActorsError } from "../../runtime/index.js";
import type { Image } from "./backend.js";
import type { SandboxProcess } from "./channel.js";
import { bytesOf, type CommandLine } from "./exec.js";
import type { Lease } from "./lease.js";
import type { SandboxFile, SnapshotId } from "./sandbox.js";
import type { SavedWorkspace, Workspaces } from "./workspaces.js";

/** A workspace that many sandboxes begin with, made once. The order is: archive, files, setup. */
export interface Template {
  /** Whose programs, and what its workspace holds first. Default: the pool's. */
  image?: Image;
  /** tar, compressed or not. */
  archive?: Uint8Array;
  files?: readonly SandboxFile[];
  /** Must exit with 0. */
  setup?: CommandLine;
  /** For `setup`. Default 10 min. */
  timeoutMs?: number;
}

interface Snapshot {
  saved: SavedWorkspace;
  workspaces: Workspaces;
  image: Image | null;
  /** What brings each shell back to where it was, with the paths of this workspace. */
  shells: ReadonlyMap<string, string>;
  workspace: string;
}

const setupMs = 600_000;

/** The kept workspaces of a pool. */
export class Snapshots {
  readonly #kept = new Map<SnapshotId, Snapshot>();
  readonly #templates = new Map<string, Promise<SnapshotId>>();

  get count(): number {
    return this.#kept.size;
  }

  /** Ends what runs in the sandbox. */
  async save(sandbox: SandboxProcess, shells: ReadonlyMap<string, string>): Promise<SnapshotId> {
    const { workspaces, workspace, image } = sandbox;
    const saved = await workspaces.save(sandbox);
    const id: SnapshotId = `snapshot-${randomUUID()}`;
    this.#kept.set(id, { saved, workspaces, image, shells, workspace });
    return id;
  }

  /** @returns what brings each shell back */
  async restore(sandbox: SandboxProcess, id: SnapshotId): Promise<ReadonlyMap<string, string>> {
    const { saved, workspaces, shells, workspace } = this.find(id);
    if (workspaces !== sandbox.workspaces) throw this.#lost(id);
    await workspaces.restore(sandbox, saved);
    return new Map([...shells].map(([name, script]) => [name, script.replaceAll(workspace, sandbox.workspace)]));
  }

  find(id: SnapshotId): Snapshot {
    const snapshot = this.#kept.get(id);
    if (snapshot?.workspaces.alive) return snapshot;
    this.#kept.delete(id);
    throw this.#lost(id);
  }

  #lost(id: SnapshotId): ActorsError {
    return new ActorsError("NOT_FOUND", `there is no snapshot ${id}`, {
      hint: "It was dropped, or what held it ended: make it again.",
    });
  }

  async drop(id: SnapshotId): Promise<void> {
    const snapshot = this.#kept.get(id);
    this.#kept.delete(id);
    await snapshot?.workspaces.drop(snapshot.saved);
  }

  /** The same for the same content; made by the first that asks. A template that failed is made again by the next. */
  async template(template: Template, open: (image?: Image) => Promise<Lease>): Promise<SnapshotId> {
    const key = digest(template);
    const known = await this.#templates.get(key);
    if (known !== undefined && this.#kept.get(known)?.workspaces.alive) return known;
    const made = this.#make(template, open);
    this.#templates.set(key, made);
    made.catch(() => this.#templates.delete(key));
    return made;
  }

  async #make(
    { image, archive, files, setup, timeoutMs = setupMs }: Template,
    open: (image?: Image) => Promise<Lease>,
  ): Promise<SnapshotId> {
    await using lease = await open(image);
    if (archive) await lease.upload(archive);
    await lease.write(...(files ?? []));
    if (setup !== undefined) {
      const { exitCode, stderr, stdout, timedOut } = await lease.exec(setup, { timeoutMs });
      const why = timedOut ? `it took more than ${timeoutMs} ms` : String(stderr).trim() || String(stdout).trim();
      if (exitCode !== 0)
        throw new ActorsError("INVALID_ARGUMENT", `the setup of a template failed with status ${exitCode}: ${why}`);
    }
    return await lease.snapshot(); // not before is the lease released
  }
}

function digest({ image, archive, files, setup }: Template): string {
  const hash = createHash("sha256");
  const add = (part: string | Uint8Array) => hash.update(`${part.length} `).update(part);
  add(archive ?? "");
  for (const { path, content, mode } of files ?? []) add(`${path} ${mode ?? ""}`) && add(bytesOf(content));
  add(JSON.stringify([setup ?? null, image ?? null]));
  return hash.digest("hex");
}
