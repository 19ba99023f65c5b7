import { askAll, type HostReport } from "../core/endpoint-actor.js";
import type { EndpointId } from "../core/ids.js";
import type { Runtime } from "../core/runtime.js";
import { bucketMs, type MethodReport } from "../core/tallies.js";
import { type ActorRecord, ActorState, type Directory } from "../directory/directory.js";
import { Totals } from "./totals.js";

const answerMs = 1_000; // a scrape must not take as long as a stopped process stays stopped

type Labels = Record<string, string>;

/** A metric as prom-client's `getMetricsAsJSON` writes it. */
export interface Metric {
  name: string;
  help: string;
  type: "counter" | "gauge" | "histogram";
  aggregator: "sum";
  values: { value: number; labels: Labels; metricName?: string }[];
}

/** The figures of one node. Nothing is collected but when they are asked for. Labels never hold an actor's id. */
export class NodeMetrics {
  readonly #runtime: Runtime & { directory: Directory };
  readonly #restarts: ReadonlyMap<string, number>;
  readonly #totals = new Totals();

  /** @param restarts starts of later incarnations on this node, by definition */
  constructor(runtime: Runtime & { directory: Directory }, restarts: ReadonlyMap<string, number>) {
    this.#runtime = runtime;
    this.#restarts = restarts;
  }

  /** Takes at most a second, whoever does not answer. */
  async collect(): Promise<Metric[]> {
    const { endpoint, directory, node, cluster } = this.#runtime;
    const records = [...directory.actors.values()].map(({ record }) => record).filter((record) => record.node === node);
    const running = records.filter(({ state }) => state === ActorState.RUNNING);
    const hosts = new Set([endpoint.id, ...running.map((record) => record.endpoint as EndpointId)]);
    const answers = await askAll(endpoint.calls, hosts, answerMs);
    this.#totals.update(hosts, answers);
    const { methods, traffic } = this.#totals.sum();
    return [
      gauge("actors_node_info", "The node and the cluster that these figures are of.", [
        [{ node, cluster: cluster.id }, 1],
      ]),
      calls(methods),
      times(methods),
      ...gauges(records, running, [...answers.values()]),
      counter("actors_restarts_total", "Incarnations after the first that were started here.", [
        ...[...this.#restarts].map(([definition, n]): Value => [{ definition }, n]),
      ]),
      counter("actors_sent_batches_total", "Messages sent; each carries all frames of a tick to one place.", [
        [{}, traffic.batchesOut],
      ]),
      counter("actors_sent_bytes_total", "Bytes of the messages sent.", [[{}, traffic.bytesOut]]),
      counter("actors_received_batches_total", "Messages received.", [[{}, traffic.batchesIn]]),
      counter("actors_received_bytes_total", "Bytes of the messages received.", [[{}, traffic.bytesIn]]),
      counter("actors_malformed_batches_total", "Messages that could not be decoded.", [[{}, traffic.malformed]]),
      counter("actors_reconnects_total", "Times a link came back after a loss.", [[{}, traffic.reconnects]]),
      gauge("actors_hosts", "Processes and threads that host actors here, the node agent among them.", [
        [{}, hosts.size],
      ]),
      gauge(
        "actors_silent_hosts",
        "Those of them that did not answer this scrape: stopped, or their loop is blocked.",
        [[{}, hosts.size - answers.size]],
      ),
    ];
  }
}

type Value = readonly [Labels, number];

const metric =
  (type: "counter" | "gauge") =>
  (name: string, help: string, values: readonly Value[]): Metric => {
    return { name, help, type, aggregator: "sum", values: values.map(([labels, value]) => ({ labels, value })) };
  };
const counter = metric("counter");
const gauge = metric("gauge");

function calls(methods: readonly MethodReport[]): Metric {
  const help = "Calls that ended here, by outcome: OK or the code of the error.";
  const values = methods.flatMap(({ def: definition, method, ok, errors }) =>
    Object.entries({ OK: ok, ...errors }).map(([code, n]): Value => [{ definition, method, code }, n]),
  );
  return counter("actors_calls_total", help, values);
}

function times(methods: readonly MethodReport[]): Metric {
  const name = "actors_handler_seconds";
  const values = methods.flatMap(({ def: definition, method, buckets, totalMs }) => {
    let count = 0;
    const bars = buckets.map((n, i) => {
      count += n;
      const le = i < bucketMs.length ? String(bucketMs[i]! / 1000) : "+Inf";
      return { metricName: `${name}_bucket`, labels: { le, definition, method }, value: count };
    });
    if (count === 0) return [];
    const labels = { definition, method };
    return [
      ...bars,
      { metricName: `${name}_sum`, labels, value: totalMs / 1000 },
      { metricName: `${name}_count`, labels, value: count },
    ];
  });
  const help = "How long handlers took from their start to their end; streams are left out.";
  return { name, help, type: "histogram", aggregator: "sum", values };
}

function gauges(
  records: readonly ActorRecord[],
  running: readonly ActorRecord[],
  hosts: readonly HostReport[],
): Metric[] {
  const states = new Grouped("definition", "state");
  for (const { def, state } of records) states.add(1, def, ActorState[state]!.toLowerCase());
  const [depth, inFlight, memory] = [1, 2, 3].map(() => new Grouped("definition")) as [Grouped, Grouped, Grouped];
  const lag = new Grouped("hosting");
  let outgoing = 0;
  const own = hosts.find(({ at }) => at.pid === process.pid && at.thread === 0);
  for (const host of hosts) {
    const { at, cells } = host;
    outgoing += at.outgoing;
    const hosting = host === own ? "inline" : at.thread > 0 ? "thread" : "process";
    lag.max(at.lagMs / 1000, hosting);
    for (const cell of cells) {
      depth.add(cell.depth, cell.def);
      inFlight.add(cell.inFlight, cell.def);
    }
    if (hosting === "process") {
      const def = running.find(({ endpoint }) => endpoint === at.endpoint)?.def;
      if (def !== undefined) memory.add(at.rssBytes, def);
    }
  }
  return [
    gauge("actors_mailbox_depth", "Calls that wait in mailboxes.", depth.values()),
    gauge("actors_in_flight", "Handlers that have begun and wait for something.", inFlight.values()),
    gauge("actors_outgoing_calls", "Calls made from here that have no answer yet.", [[{}, outgoing]]),
    gauge("actors_instances", "Actors of this node by state; ended ones for a while.", states.values()),
    gauge(
      "actors_event_loop_lag_seconds",
      "How late a timer fired at this scrape, the worst by hosting.",
      lag.values(),
    ),
    gauge("actors_process_resident_bytes", "Memory of the processes that host one actor each.", memory.values()),
  ];
}

/** Numbers by label values. */
class Grouped {
  readonly #names: readonly string[];
  readonly #groups = new Map<string, [Labels, number]>();

  constructor(...names: string[]) {
    this.#names = names;
  }

  add(n: number, ...values: string[]): void {
    this.#group(values)[1] += n;
  }

  max(n: number, ...values: string[]): void {
    const group = this.#group(values);
    group[1] = Math.max(group[1], n);
  }

  values(): Value[] {
    return [...this.#groups.values()];
  }

  #group(values: string[]): [Labels, number] {
    const key = values.join("\n");
    let group = this.#groups.get(key);
    if (!group) {
      group = [Object.fromEntries(this.#names.map((name, i) => [name, values[i]!])), 0];
      this.#groups.set(key, group);
    }
    return group;
  }
}
