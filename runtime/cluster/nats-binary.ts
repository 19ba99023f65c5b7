import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { cacheDir } from "../bundles/names.js";
import { ActorsError } from "../core/errors.js";

/** Where `actors` keeps a nats-server it unpacked for itself. scripts/nats-server.mjs writes it. */
export function unpackedNatsServer(): string {
  return join(cacheDir(), "nats-server");
}

/**
 * $ACTORS_NATS_SERVER, else PATH, else the copy unpacked at set-up.
 * @throws ActorsError NOT_FOUND that says how to get one
 */
export function findNatsServer(): string {
  const named = process.env["ACTORS_NATS_SERVER"];
  if (named) {
    if (isExecutable(named)) return named;
    throw new ActorsError("NOT_FOUND", `$ACTORS_NATS_SERVER is ${named}, which cannot be run`, {
      hint: "Name an executable file, or unset it.",
    });
  }
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((dir) => join(dir, "nats-server"));
  // Debian puts it into /usr/sbin, which is not on everyone's PATH.
  const found = [...onPath, "/usr/sbin/nats-server", unpackedNatsServer()].find(isExecutable);
  if (found) return found;
  throw new ActorsError("NOT_FOUND", "there is no nats-server on this machine", {
    hint: "Install it (Debian: apt install nats-server; macOS: brew install nats-server) or set $ACTORS_NATS_SERVER.",
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
