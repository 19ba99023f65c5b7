/**
 * A uint32 from a run's seed and a position in it (step, group, sample, turn): stable over restarts, and the same wherever it
 * is computed. Mixing as in murmur3's finaliser.
 */
export function deriveSeed(...parts: readonly number[]): number {
  let h = 0x9e3779b9;
  for (const part of parts) {
    h = Math.imul(h ^ (part | 0), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    h = (h ^ (h >>> 16)) + 0x9e3779b9;
  }
  return h >>> 0;
}
