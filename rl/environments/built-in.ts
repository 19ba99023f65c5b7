import { arithmetic } from "./arithmetic/index.js";
import { cartPole } from "./cart-pole/index.js";
import { cstr } from "./cstr/index.js";
import type { EnvironmentDef } from "./environment.js";
import { hopper } from "./hopper/index.js";
import { kinetics } from "./kinetics/index.js";
import { pickAndPlace } from "./pick-and-place/index.js";
import { quadrupleTank } from "./quadruple-tank/index.js";
import { quickstart } from "./quickstart/index.js";
import { search } from "./search/index.js";
import { sql } from "./sql/index.js";
import { swe, sweBash } from "./swe/index.js";
import { titration } from "./titration/index.js";

/** By name, as `environment.env_class` takes it. */
export const builtIn: Readonly<Record<string, EnvironmentDef>> = Object.fromEntries(
  [
    ...[quickstart, arithmetic, search, sql],
    ...[cartPole, hopper, pickAndPlace],
    ...[cstr, quadrupleTank, kinetics, titration],
    ...[swe, sweBash],
  ].map((def) => [def.name, def as EnvironmentDef]),
);
