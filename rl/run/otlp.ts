import { type Histogram, measures } from "./histogram.js";
import type { MetricsSink } from "./sinks.js";

export interface OtlpOptions {
  /** Of the metrics signal, with its path. */
  url: string;
  headers: Record<string, string>;
  run: string;
  timeoutMs: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Requests that may wait for a slow collector; then the oldest are dropped. */
const maxWaiting = 64;

/**
 * Sends metrics to an OpenTelemetry collector: OTLP 1.x over HTTP, as JSON. A number is a gauge with the step as an attribute, a
 * histogram a delta histogram.
 */
export class OtlpSink implements MetricsSink {
  readonly #options: OtlpOptions;
  readonly #line: (text: string) => void;
  readonly #waiting: string[] = [];
  #sending: Promise<void> | undefined;
  #told = false;

  constructor(options: OtlpOptions, line: (text: string) => void) {
    this.#options = options;
    this.#line = line;
  }

  /** By the variables that OpenTelemetry defines. */
  static fromEnvironment(env: Environment, run: string, line: (text: string) => void): OtlpSink {
    const base = env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "http://localhost:4318";
    const url = env["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"] ?? `${base.replace(/\/$/, "")}/v1/metrics`;
    const timeoutMs = Number(env["OTEL_EXPORTER_OTLP_TIMEOUT"]) || 10_000;
    return new OtlpSink({ url, headers: readHeaders(env["OTEL_EXPORTER_OTLP_HEADERS"] ?? ""), run, timeoutMs }, line);
  }

  write(step: number, group: string, line: object): void {
    this.#waiting.push(JSON.stringify(encodeMetrics(this.#options.run, Date.now(), step, [...measures(line, group)])));
    if (this.#waiting.length > maxWaiting) this.#waiting.shift();
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  /** What a collector does not take within one timeout is lost. */
  async close(): Promise<void> {
    const late = AbortSignal.timeout(this.#options.timeoutMs);
    late.addEventListener("abort", () => this.#waiting.splice(0), { once: true });
    await this.#sending;
  }

  async #send(): Promise<void> {
    for (let body = this.#waiting.shift(); body !== undefined; body = this.#waiting.shift()) {
      try {
        await this.#post(body);
      } catch (error) {
        if (!this.#told)
          this.#line(`metrics do not reach ${this.#options.url}: ${reason(error)}; the training goes on`);
        this.#told = true;
      }
    }
  }

  async #post(body: string): Promise<void> {
    const { url, headers, timeoutMs } = this.#options;
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`it answers ${response.status}`);
  }
}

const reason = (error: unknown) => (((error as Error).cause as Error | undefined) ?? (error as Error)).message;

/** `key=value,key2=value2`, percent-encoded. */
function readHeaders(text: string): Record<string, string> {
  const pairs = text.split(",").flatMap((pair) => {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    return name === undefined ? [] : [[name, decodeURIComponent(value!)] as const];
  });
  return Object.fromEntries(pairs);
}

/** ExportMetricsServiceRequest in the JSON form of protobuf: 64-bit integers are texts. */
export function encodeMetrics(
  run: string,
  unixMs: number,
  step: number,
  values: readonly (readonly [name: string, value: number | Histogram])[],
): object {
  const timeUnixNano = `${unixMs}000000`;
  const attributes = [{ key: "step", value: { intValue: String(step) } }];
  const point = { timeUnixNano, startTimeUnixNano: timeUnixNano, attributes };
  const metrics = values
    .filter(([, value]) => typeof value !== "number" || Number.isFinite(value)) // JSON has no NaN
    .map(([name, value]) =>
      typeof value === "number"
        ? { name: metricName(name), gauge: { dataPoints: [{ ...point, asDouble: value }] } }
        : {
            name: metricName(name),
            histogram: { aggregationTemporality: 1, dataPoints: [{ ...point, ...buckets(value) }] },
          },
    );
  const resource = {
    attributes: ["service.name", "actors.run"].map((key, i) => ({ key, value: { stringValue: ["actors", run][i] } })),
  };
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: "actors" }, metrics }] }] };
}

const metricName = (name: string) => `actors.${name.replaceAll("/", ".")}`;

/** The last bucket has no upper bound there. */
function buckets({ count, sum, min, max, limits, counts }: Histogram): object {
  const bucketCounts = count === 0 ? [] : counts.map(String);
  return {
    count: String(count),
    sum,
    ...(count > 0 && { min, max }),
    explicitBounds: limits.slice(0, -1),
    bucketCounts,
  };
}
