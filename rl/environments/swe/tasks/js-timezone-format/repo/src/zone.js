import { addDays } from "./days.js";

export function dayOf(instant, zone) {
  return new Date(instant).toISOString().slice(0, 10);
}

export function dayRange(day, zone) {
  return { from: `${day}T00:00:00.000Z`, to: `${addDays(day, 1)}T00:00:00.000Z` };
}
