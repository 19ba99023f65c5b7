import type { HostReport } from "../core/endpoint-actor.js";
import type { EndpointId } from "../core/ids.js";
import type { MethodReport } from "../core/tallies.js";

type Traffic = HostReport["at"]["traffic"];

/**
 * What the processes and threads of a node have counted, added up. The sums never fall: of a host that has ended its
 * last counts are kept, of one that does not answer now the last it told.
 */
export class Totals {
  #last = new Map<EndpointId, HostReport>();
  readonly #ended = new Sum();

  /** @param hosts those that are there now; only they may answer */
  update(hosts: ReadonlySet<EndpointId>, answers: ReadonlyMap<EndpointId, HostReport>): void {
    const last = new Map<EndpointId, HostReport>();
    for (const [id, report] of this.#last) {
      if (hosts.has(id)) last.set(id, report);
      else this.#ended.add(report);
    }
    for (const [id, report] of answers) last.set(id, report);
    this.#last = last;
  }

  sum(): { methods: MethodReport[]; traffic: Traffic } {
    const all = new Sum();
    all.add({ at: { traffic: this.#ended.traffic }, methods: [...this.#ended.methods.values()] });
    for (const report of this.#last.values()) all.add(report);
    return { methods: [...all.methods.values()], traffic: all.traffic };
  }
}

class Sum {
  readonly methods = new Map<string, MethodReport>();
  readonly traffic: Traffic = { batchesOut: 0, bytesOut: 0, batchesIn: 0, bytesIn: 0, malformed: 0, reconnects: 0 };

  add({ at, methods }: { at: { traffic: Traffic }; methods: readonly MethodReport[] }): void {
    for (const key of Object.keys(this.traffic) as (keyof Traffic)[]) this.traffic[key] += at.traffic[key];
    for (const one of methods) {
      const key = `${one.def} ${one.method}`;
      const sum = this.methods.get(key);
      if (!sum) {
        this.methods.set(key, { ...one, errors: { ...one.errors }, buckets: [...one.buckets] });
        continue;
      }
      sum.ok += one.ok;
      sum.totalMs += one.totalMs;
      for (const [i, n] of one.buckets.entries()) sum.buckets[i]! += n;
      for (const [code, n] of Object.entries(one.errors)) sum.errors[code] = (sum.errors[code] ?? 0) + n;
    }
  }
}
