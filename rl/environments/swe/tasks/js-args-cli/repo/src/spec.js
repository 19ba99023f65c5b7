/** The declared option with a name or a short letter. */
export const byName = (spec, name) => (Object.hasOwn(spec, name) ? name : undefined);

export const byShort = (spec, letter) => Object.keys(spec).find((name) => spec[name].short === letter);
