import { actors } from "#protos";
import type { Bus } from "../transport/bus.js";
import { eventTopic } from "./protocol.js";

export type EventKind =
  | "node-up"
  | "node-dead"
  | "node-held"
  | "actor-died"
  | "actor-restarted"
  | "actor-passivated"
  | "actor-woken"
  | "actor-stopped"
  | "actor-failed"
  | "tell-failed"
  | "coordinator"
  | "nats-restarted"
  | "bundle";

/** One sentence to everyone who listens: what happened and what was done. */
export function emit(bus: Bus, kind: EventKind, subject: string, text: string): void {
  bus.publish(eventTopic, actors.v1.ClusterEvent.encode({ at: Date.now(), kind, subject, text }).finish());
}
