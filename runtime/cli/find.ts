import { nearest } from "../core/nearest.js";
import type { ActorInfo } from "../system.js";
import { UsageError } from "./usage.js";

const listed = 5;

/** For good: it will not run again. */
export const hasEnded = ({ state }: Pick<ActorInfo, "state">) => state === "STOPPED" || state === "FAILED";

/**
 * The actor of that name, definition or id; of several under one name the one that lives.
 * @throws UsageError when there is none, or the definition has more than one
 */
export function findActor(wanted: string, actors: readonly ActorInfo[]): ActorInfo {
  const byId = actors.find(({ id }) => id === wanted);
  if (byId) return byId;
  for (const key of ["name", "def"] as const) {
    const all = actors.filter((actor) => actor[key] === wanted);
    const live = all.filter((actor) => !hasEnded(actor));
    if (live.length > 1) refuseSeveral(wanted, live);
    const one = live[0] ?? all.at(-1);
    if (one) return one;
  }
  const guess = nearest(
    wanted,
    actors.flatMap(({ id, name, def }) => [name, def, id]).filter((known) => known !== ""),
  );
  throw new UsageError(`there is no actor ${wanted}${guess ? `: did you mean ${guess}?` : ""}`, {
    hint: "`actors ps -a` lists them by definition, name and id.",
  });
}

function refuseSeveral(wanted: string, live: readonly ActorInfo[]): never {
  const some = live.slice(0, listed).map(({ id, name, node }) => `${name || id}${node && ` on ${node}`}`);
  const more = live.length > listed ? ` and ${live.length - listed} more` : "";
  throw new UsageError(`${live.length} actors are of ${wanted}: say which one by name or id`, {
    hint: `They are ${some.join(", ")}${more}.`,
  });
}
