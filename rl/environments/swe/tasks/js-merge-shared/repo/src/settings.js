import { merge } from "./merge.js";

export const defaults = { lint: { ignore: ["dist"], level: "warn" }, cache: { days: 7 }, started: null };

export const settingsOf = (project) => merge(defaults, project);
