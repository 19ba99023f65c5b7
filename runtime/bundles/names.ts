import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ActorsError } from "../core/errors.js";

/** What `actors` keeps for this user on this machine. */
export const cacheDir = () => join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "actors");

export const bundlesDir = () => join(cacheDir(), "bundles");

/** The package of the runtime that runs here. */
export const runtimeRoot = realpathSync(fileURLToPath(new URL("../../../", import.meta.url)));

/** The longest that a start may take longer because its bundle is installed first, or by another node of its machine. */
export const installMs = 330_000;

const scheme = "bundle:";
const validHash = /^[0-9a-f]{64}$/;

/** As people read it. */
export const short = (hash: string) => hash.slice(0, 12);

export const isHash = (text: string) => validHash.test(text);

export const folderUrl = (dir: string) => pathToFileURL(`${dir}/`).href;

/** `bundle:<hash>/<path>` of a module, by its URL and that of the folder that is shipped. */
export const nameIn = (hash: string, folder: string, module: string) =>
  `${scheme}${hash}/${module.slice(folder.length)}`;

/** @returns the hash that a module's name begins with, or undefined for a module that is named by its URL */
export function bundleOf(module: string): string | undefined {
  return module.startsWith(scheme) ? module.slice(scheme.length).split("/", 1)[0] : undefined;
}

/**
 * URL of a bundled module in the folder that its bundle was installed into.
 * @throws ActorsError INVALID_ARGUMENT for a name that leads out of the bundle
 */
export function urlIn(dir: string, name: string): string {
  const folder = folderUrl(dir);
  const path = name.slice(name.indexOf("/") + 1);
  const url = new URL(`./${path}`, folder).href;
  if (isHash(bundleOf(name) ?? "") && url.startsWith(folder)) return url;
  throw new ActorsError("INVALID_ARGUMENT", `${name} names no module of a bundle`);
}

let installed: string | undefined;

/** What a process of a node calls a module of its own: one out of a bundle by the bundle's name, else by its URL. */
export function locateInstalled(module: string): string {
  try {
    installed ??= folderUrl(realpathSync(bundlesDir()));
  } catch {
    return module; // nothing was ever installed here
  }
  const hash = module.startsWith(installed) ? module.slice(installed.length).split("/", 1)[0]! : "";
  return isHash(hash) ? nameIn(hash, `${installed}${hash}/`, module) : module;
}
