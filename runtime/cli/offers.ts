import type { Offer, Offers } from "../cluster/offers.js";
import { nearest } from "../core/nearest.js";
import { type Document, isSection } from "./config.js";
import { UsageError } from "./usage.js";

const slotKeys = ["resources", "labels", "devices"];

/**
 * What `cluster:` says the nodes have: `resources` and `labels` of every node, and `slots` for single ones (n1, n2, …),
 * which may also name the `devices` they hand out. @throws UsageError
 */
export function readOffers(document: Document): Offers {
  const cluster = (document["cluster"] ?? {}) as Document; // a section, by `settleNodes`
  const slots = Object.entries(section(cluster["slots"], "cluster.slots"));
  return {
    resources: resources(cluster, "cluster"),
    labels: labels(cluster, "cluster"),
    slots: Object.fromEntries(slots.map(([slot, offer]) => [slot, slotOffer(offer, slot)])),
  };
}

function slotOffer(value: unknown, slot: string): Offer {
  const at = `cluster.slots.${slot}`;
  if (!/^n[1-9]\d*$/.test(slot)) throw new UsageError(`${at}: slots are named n1, n2, …`);
  const offer = section(value, at);
  const unknown = Object.keys(offer).find((key) => !slotKeys.includes(key));
  if (unknown !== undefined) {
    const guess = nearest(unknown, slotKeys);
    throw new UsageError(`unknown key ${at}.${unknown}${guess ? `: did you mean ${guess}?` : ""}`, {
      hint: `A slot takes ${slotKeys.join(", ")}.`,
    });
  }
  const { devices } = offer;
  if (devices !== undefined && !Array.isArray(devices))
    throw new UsageError(`${at}.devices must be a list of GPU ids, such as [0, 1]`);
  return {
    resources: resources(offer, at),
    labels: labels(offer, at),
    ...(devices && { devices: devices.map(String) }),
  };
}

function resources(of: Document, at: string): Record<string, number> {
  const amounts = section(of["resources"], `${at}.resources`);
  for (const [name, amount] of Object.entries(amounts)) {
    if (typeof amount !== "number" || !(amount >= 0))
      throw new UsageError(`${at}.resources.${name} must be an amount, not ${JSON.stringify(amount)}`);
  }
  return amounts as Record<string, number>;
}

function labels(of: Document, at: string): Record<string, string> {
  const values = Object.entries(section(of["labels"], `${at}.labels`));
  const odd = values.find(([, value]) => value === null || typeof value === "object");
  if (odd) throw new UsageError(`${at}.labels.${odd[0]} must be a text, not ${JSON.stringify(odd[1])}`);
  return Object.fromEntries(values.map(([name, value]) => [name, String(value)])); // a number or yes needs no quotes
}

function section(value: unknown, at: string): Document {
  if (value === undefined || value === null) return {};
  if (isSection(value)) return value;
  throw new UsageError(`${at} must be a section, not ${JSON.stringify(value)}`);
}
