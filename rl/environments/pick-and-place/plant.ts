import type { RigidBody } from "@dimforge/rapier2d-deterministic-compat";
import { frozen, loadEngine, thawed } from "../rapier.js";

/** A vacuum gripper on a gantry above a table with a block and a wall, seen from the side. Lengths in m. */
export const side = 0.1; // of the block
export const wall = { height: 0.25, width: 0.06 }; // in the middle
export const reach = { x: 1, y: 0.7 };
const handSize = { width: 0.08, height: 0.04 };
/** The gripper holds what is this near below it. */
const suction = 0.02;
const speed = 1.5; // m/s
const moveSeconds = 0.5;
const dt = 1 / 120; // s

export interface Cell {
  world: string;
  hand: number;
  block: number;
  /** The joint by which the block hangs on the hand. */
  grip: number | null;
}

/** Centres of the hand's lower face and of the block, and whether the block hangs, or lies and does not move. */
export interface Seen {
  hand: [x: number, y: number];
  block: [x: number, y: number];
  holding: boolean;
  resting: boolean;
}

export async function makeCell(blockX: number): Promise<Cell> {
  const engine = await loadEngine();
  const world = new engine.World({ x: 0, y: -9.81 });
  world.timestep = dt;
  const table = world.createRigidBody(engine.RigidBodyDesc.fixed());
  world.createCollider(engine.ColliderDesc.halfspace({ x: 0, y: 1 }).setFriction(0.8), table);
  world.createCollider(
    engine.ColliderDesc.cuboid(wall.width / 2, wall.height / 2).setTranslation(0, wall.height / 2),
    table,
  );
  const block = world.createRigidBody(
    engine.RigidBodyDesc.dynamic()
      .setTranslation(blockX, side / 2)
      .setCanSleep(false),
  );
  world.createCollider(
    engine.ColliderDesc.cuboid(side / 2, side / 2)
      .setDensity(300)
      .setFriction(0.8),
    block,
  );
  const desc = engine.RigidBodyDesc.dynamic()
    .setTranslation(0, 0.5 + handSize.height / 2)
    .setGravityScale(0);
  const hand = world.createRigidBody(desc.lockRotations().setCanSleep(false));
  world.createCollider(engine.ColliderDesc.cuboid(handSize.width / 2, handSize.height / 2).setMass(20), hand);
  return { hand: hand.handle, block: block.handle, grip: null, world: frozen(world) };
}

/**
 * Half a second: the hand goes towards `to` (its lower face; null: it stays), the vacuum is on or off. What is in the hand's way stops it or
 * is pushed. The block hangs from when it is just below a hand with vacuum.
 */
export async function act(
  cell: Cell,
  to: readonly [number, number] | null,
  vacuum: boolean,
): Promise<{ cell: Cell; seen: Seen }> {
  const { world, hand, block, ...engine } = await open(cell);
  let grip = cell.grip;
  const target = to ?? lowerFace(hand);
  for (let t = 0; t < moveSeconds; t += dt) {
    if (!vacuum && grip !== null) {
      world.removeImpulseJoint(world.getImpulseJoint(grip), true);
      grip = null;
    }
    if (vacuum && grip === null && isBelow(hand, block)) grip = engine.attach();
    const [x, y] = lowerFace(hand);
    const [dx, dy] = [target[0] - x, target[1] - y];
    const slow = Math.min(1, speed / (Math.hypot(dx, dy) / (4 * dt) || 1));
    hand.setLinvel({ x: (slow * dx) / (4 * dt), y: (slow * dy) / (4 * dt) }, true);
    world.step();
  }
  hand.setLinvel({ x: 0, y: 0 }, true);
  const velocity = block.linvel();
  const { x, y } = block.translation();
  const seen: Seen = {
    hand: lowerFace(hand),
    block: [x, y],
    holding: grip !== null,
    resting: grip === null && Math.hypot(velocity.x, velocity.y) < 0.01 && y < 0.75 * side,
  };
  return { cell: { ...cell, grip, world: frozen(world) }, seen };
}

const lowerFace = (hand: RigidBody): [number, number] => {
  const { x, y } = hand.translation();
  return [x, y - handSize.height / 2];
};

function isBelow(hand: RigidBody, block: RigidBody): boolean {
  const [x, y] = lowerFace(hand);
  const at = block.translation();
  return Math.abs(x - at.x) < side / 2 && Math.abs(y - (at.y + side / 2)) < suction;
}

async function open(cell: Cell) {
  const engine = await loadEngine();
  const world = await thawed(cell.world);
  const [hand, block] = [world.getRigidBody(cell.hand), world.getRigidBody(cell.block)];
  /** As they are: the block's place under the hand, and its tilt, stay. */
  const attach = () => {
    const [from, to] = [hand.translation(), block.translation()];
    const offset = { x: to.x - from.x, y: to.y - from.y };
    const data = engine.JointData.fixed(offset, block.rotation(), { x: 0, y: 0 }, 0);
    return world.createImpulseJoint(data, hand, block, true).handle;
  };
  return { world, hand, block, attach };
}
