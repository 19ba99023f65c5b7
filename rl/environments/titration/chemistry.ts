/** Weak monoprotic acids with their pKa in water at 25 °C (CRC Handbook of Chemistry and Physics). */
export const acids: Readonly<Record<string, number>> = {
  nitrous: 3.25,
  formic: 3.75,
  benzoic: 4.2,
  acetic: 4.76,
  hypochlorous: 7.4,
  hydrocyanic: 9.21,
  phenol: 9.99,
};

export const sampleMl = 25;
/** Of the sodium hydroxide in the burette, mol/L. */
export const titrant = 0.1;
const waterIons = 1e-14;

/**
 * pH of `sampleMl` of the acid (mol/L) after `added` mL of titrant, activities taken as concentrations: the root of the charge
 * balance [H+] + [Na+] = [OH-] + [A-], which rises with [H+], by bisection.
 */
export function pH(pKa: number, concentration: number, added: number): number {
  const volume = sampleMl + added;
  const total = (concentration * sampleMl) / volume;
  const sodium = (titrant * added) / volume;
  const ka = 10 ** -pKa;
  let [low, high] = [0, 14];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    const h = 10 ** -middle;
    if (h + sodium - waterIons / h - (total * ka) / (ka + h) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
