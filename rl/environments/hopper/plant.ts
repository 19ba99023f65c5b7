import type { PrismaticImpulseJoint, RevoluteImpulseJoint } from "@dimforge/rapier2d-deterministic-compat";
import { frozen, loadEngine, thawed } from "../rapier.js";

/**
 * A one-legged hopping machine in a plane, after M. H. Raibert, "Legged Robots That Balance", MIT Press 1986: a body that is kept
 * upright, a hip, and a springy leg that is made longer in stance to put energy in. The hip's motor places the leg in flight and is
 * slack in stance.
 */
export const legLength = 0.5; // m, of the spring at rest
export const maxAngle = 0.5; // rad, of the leg
export const maxThrust = 0.12; // m
const bodyMass = 10; // kg
const [legMass, footMass] = [0.3, 0.2];
const footRadius = 0.04; // m
const lowest = 0.25; // m, of the hip: below, it has fallen
const spring = { stiffness: 2_500, damping: 4 }; // N/m, N s/m
const hip = { stiffness: 120, damping: 6 }; // N m/rad, N m s/rad
const dt = 1 / 240; // s
const longest = 2; // s, of a hop

export interface Hopper {
  world: string;
  body: number;
  foot: number;
  hip: number;
  leg: number;
}

/** At the top of a hop. m, m/s, s. */
export interface Apex {
  height: number;
  speed: number;
  seconds: number;
  fallen: boolean;
}

export async function makeHopper(height: number, speed: number): Promise<Hopper> {
  const engine = await loadEngine();
  const world = new engine.World({ x: 0, y: -9.81 });
  world.timestep = dt;
  const apart = (0x0002 << 16) | 0x0001; // parts of the machine touch the ground alone
  const ground = world.createRigidBody(engine.RigidBodyDesc.fixed());
  world.createCollider(
    engine.ColliderDesc.halfspace({ x: 0, y: 1 })
      .setFriction(1)
      .setCollisionGroups((0x0001 << 16) | 0x0002),
    ground,
  );
  const part = (y: number, mass: number) => {
    const desc = engine.RigidBodyDesc.dynamic().setTranslation(0, y).setLinvel(speed, 0).setCanSleep(false);
    return { body: world.createRigidBody(mass === bodyMass ? desc.lockRotations() : desc), mass };
  };
  const [body, leg, foot] = [part(height, bodyMass), part(height, legMass), part(height - legLength, footMass)];
  const box = (width: number, tall: number) => engine.ColliderDesc.cuboid(width / 2, tall / 2).setCollisionGroups(0);
  world.createCollider(box(0.3, 0.15).setMass(body.mass), body.body);
  world.createCollider(box(0.04, 0.2).setMass(leg.mass), leg.body);
  const ball = engine.ColliderDesc.ball(footRadius).setMass(foot.mass).setFriction(1).setRestitution(0);
  world.createCollider(ball.setCollisionGroups(apart), foot.body);
  const origin = { x: 0, y: 0 };
  const hipJoint = world.createImpulseJoint(engine.JointData.revolute(origin, origin), body.body, leg.body, true);
  const sliding = engine.JointData.prismatic(origin, origin, { x: 0, y: -1 });
  const legJoint = world.createImpulseJoint(sliding, leg.body, foot.body, true);
  for (const joint of [hipJoint, legJoint] as (RevoluteImpulseJoint | PrismaticImpulseJoint)[])
    joint.configureMotorModel(engine.MotorModel.ForceBased);
  const handles = { body: body.body.handle, foot: foot.body.handle, hip: hipJoint.handle, leg: legJoint.handle };
  return { world: frozen(world), ...handles };
}

/** From one apex to the next: the leg at `angle` in flight (forward is positive), and `thrust` m longer from when it is shortest. */
export async function hop(hopper: Hopper, angle: number, thrust: number): Promise<{ hopper: Hopper; apex: Apex }> {
  const world = await thawed(hopper.world);
  const body = world.getRigidBody(hopper.body);
  const foot = world.getRigidBody(hopper.foot);
  const hipJoint = world.getImpulseJoint(hopper.hip) as RevoluteImpulseJoint;
  const legJoint = world.getImpulseJoint(hopper.leg) as PrismaticImpulseJoint;
  let phase: "down" | "stance" | "up" = "down";
  let thrusting = false;
  let seconds = 0;
  for (; seconds < longest; seconds += dt) {
    const touching = foot.translation().y < footRadius + 0.002;
    const rising = body.linvel().y > 0;
    if (phase === "down" && touching) phase = "stance";
    else if (phase === "stance" && !touching && rising) phase = "up";
    else if (phase === "up" && !rising) break;
    thrusting ||= phase === "stance" && rising;
    if (phase === "stance") hipJoint.configureMotorPosition(0, 0, 0);
    else hipJoint.configureMotorPosition(phase === "down" ? angle : 0, hip.stiffness, hip.damping);
    const rest = legLength + (phase === "stance" && thrusting ? thrust : 0);
    legJoint.configureMotorPosition(rest, spring.stiffness, phase === "stance" ? spring.damping : 20);
    world.step();
    if (body.translation().y < lowest) break;
  }
  const [at, velocity] = [body.translation(), body.linvel()];
  const fallen = at.y < lowest || seconds >= longest;
  const apex = { height: at.y, speed: velocity.x, seconds, fallen };
  return { hopper: { ...hopper, world: frozen(world) }, apex };
}
