import { rk4 } from "../rk4.js";

/**
 * A continuous stirred-tank reactor with one exothermic first-order reaction and a cooling jacket: the example and constants of
 * D. E. Seborg, T. F. Edgar and D. A. Mellichamp, "Process Dynamics and Control". Its middle steady state, 0.5 mol/L at
 * 350 K with 300 K in the jacket, is unstable.
 */
export const flow = 100; // L/min
export const volume = 100; // L
export const feed = 1; // mol/L
export const feedTemperature = 350; // K
const heat = 5e4 / (1000 * 0.239); // K of adiabatic rise for each mol/L: -ΔH / (ρ Cp)
const cooling = 5e4 / (volume * 1000 * 0.239); // 1/min: UA / (V ρ Cp)

/** Rate constant, 1/min, by Arrhenius. */
export const rate = (kelvin: number) => 7.2e10 * Math.exp(-8750 / kelvin);

/** @param state concentration (mol/L) and temperature (K) @param jacket K @param warmer feed above its nominal temperature, K @returns each a minute */
export function derivative([c, t]: readonly number[], jacket: number, warmer = 0): number[] {
  const reacted = rate(t!) * c!;
  const through = flow / volume;
  return [
    through * (feed - c!) - reacted,
    through * (feedTemperature + warmer - t!) + heat * reacted + cooling * (jacket - t!),
  ];
}

/** Where the simulation ends: from here on the reaction is too fast for its steps. */
export const runaway = 400; // K

/** In steps of 0.005 min, or until it is over {@link runaway}. */
export function simulate(state: readonly number[], jacket: number, warmer: number, minutes: number): number[] {
  let now = [...state];
  for (let i = Math.round(minutes / 0.005); i > 0 && now[1]! <= runaway; i--)
    now = rk4((x) => derivative(x, jacket, warmer), now, 0.005);
  return now;
}

/** The steady state at a temperature, and the jacket that holds it. */
export function steady(kelvin: number): { concentration: number; jacket: number } {
  const concentration = feed / (1 + (rate(kelvin) * volume) / flow);
  const made = heat * rate(kelvin) * concentration + (flow / volume) * (feedTemperature - kelvin);
  return { concentration, jacket: kelvin - made / cooling };
}
