/** Settings of several layers, the last wins. Plain objects are merged, anything else is replaced. */
export function merge(...layers) {
  const out = {};
  for (const layer of layers) mergeInto(out, layer);
  return out;
}

function mergeInto(out, layer) {
  for (const key of Object.keys(layer ?? {})) {
    const value = layer[key];
    if (isPlain(value) && isPlain(out[key])) mergeInto(out[key], value);
    else out[key] = value;
  }
}

export const isPlain = (value) => typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
