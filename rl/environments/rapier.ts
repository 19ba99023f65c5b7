import type { World } from "@dimforge/rapier2d-deterministic-compat";

type Rapier = typeof import("@dimforge/rapier2d-deterministic-compat").default;

let loading: Promise<Rapier> | undefined;
/** The engine, whose arithmetic is the same on every machine. */
export const loadEngine = (): Promise<Rapier> => {
  loading ??= import("@dimforge/rapier2d-deterministic-compat").then(async ({ default: engine }) => {
    await engine.init();
    return engine;
  });
  return loading;
};

/** A world as text, from which it goes on bit for bit. The world is given up. */
export function frozen(world: World): string {
  const bytes = world.takeSnapshot();
  world.free();
  return Buffer.from(bytes).toString("base64");
}

/** @param text as `frozen` gave it */
export async function thawed(text: string): Promise<World> {
  const engine = await loadEngine();
  return engine.World.restoreSnapshot(new Uint8Array(Buffer.from(text, "base64")))!;
}
