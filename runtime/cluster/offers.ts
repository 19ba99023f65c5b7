import { cpus, totalmem } from "node:os";
import type { actors } from "#protos";
import { devicesOfSlot, findDevices } from "./devices.js";
import { slotName } from "./placement.js";

const bytesPerMb = 1 << 20;

/** What a node has that cannot be seen by looking, from `cluster:` of the configuration. */
export interface Offer {
  /** Amounts by name, beside cpus, gpus and memoryMb. */
  resources?: Record<string, number>;
  labels?: Record<string, string>;
  /** Ids of the GPUs it hands out. Default: its share of those that are visible. */
  devices?: string[];
}

/** For every node, and over that for single slots (`n2`). */
export interface Offers extends Omit<Offer, "devices"> {
  slots?: Record<string, Offer>;
}

/**
 * @param slot its position among the nodes of one `up`; kept when the node is started again
 * @param share nodes that divide this machine's memory and GPUs; CPUs are offered whole by each, for they can be shared
 */
export function offerOf(
  slot: number,
  share: number,
  offers: Offers = {},
): Required<Pick<actors.v1.NodeRecord.$Properties, "capacity" | "labels" | "devices">> {
  const own = offers.slots?.[slotName(slot)] ?? {};
  const devices = own.devices ?? devicesOfSlot(findDevices(), slot, share);
  const memoryMb = Math.floor(totalmem() / bytesPerMb / share);
  return {
    capacity: {
      cpus: cpus().length,
      gpus: devices.length,
      memoryMb,
      custom: { ...offers.resources, ...own.resources },
    },
    labels: { ...offers.labels, ...own.labels },
    devices,
  };
}
