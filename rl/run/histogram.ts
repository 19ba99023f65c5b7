/** Counts of values in intervals of one width. Values that are not finite are not counted. */
export interface Histogram {
  count: number;
  min: number;
  max: number;
  sum: number;
  squares: number;
  /** Upper ends, each its interval's last value; the first begins at `min`. */
  limits: number[];
  counts: number[];
}

const most = 32;

/** All in one interval where they are all the same; none for no values. */
export function histogram(values: Iterable<number>): Histogram {
  const finite = [...values].filter(Number.isFinite);
  let [min, max, sum, squares] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  for (const value of finite) {
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
    squares += value * value;
  }
  if (finite.length === 0) return { count: 0, min: 0, max: 0, sum: 0, squares: 0, limits: [], counts: [] };
  const whole = finite.every(Number.isInteger) && max - min < most; // each whole number its own
  const bins = min === max ? 1 : whole ? max - min + 1 : most;
  const width = whole ? 1 : (max - min) / bins;
  const limits = Array.from({ length: bins }, (_, i) =>
    i === bins - 1 ? max : Math.min(max, min + (i + Number(!whole)) * width),
  );
  const counts = new Array<number>(bins).fill(0);
  for (const value of finite) {
    const bin = width === 0 ? 0 : Math.min(bins - 1, Math.floor((value - min) / width));
    counts[bin]!++;
  }
  return { count: finite.length, min, max, sum, squares, limits, counts };
}

export function isHistogram(value: unknown): value is Histogram {
  return typeof value === "object" && value !== null && "limits" in value && "counts" in value;
}

/** The numbers and histograms in a line of metrics, by the path of their keys. */
export function* measures(line: object, path = ""): Generator<[name: string, value: number | Histogram]> {
  for (const [key, value] of Object.entries(line)) {
    const name = path === "" ? key : `${path}/${key}`;
    if (typeof value === "number") yield [name, value];
    else if (isHistogram(value)) yield [name, value];
    else if (typeof value === "object" && value !== null && !Array.isArray(value)) yield* measures(value, name);
  }
}
