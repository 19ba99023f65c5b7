/** definition: { initial, states: { name: { on: { event: target | { target, guard } }, enter, exit } } } */
export class Machine {
  #definition;
  #state;

  constructor(definition, context = {}) {
    this.#definition = definition;
    this.#state = definition.initial;
    this.context = context;
  }

  get state() {
    return this.#state;
  }

  can(event) {
    return event in (this.#definition.states[this.#state].on ?? {});
  }

  send(event) {
    const { states } = this.#definition;
    const found = states[this.#state].on?.[event];
    if (!found) return false;
    const { target, guard } = typeof found === "string" ? { target: found } : found;
    if (guard && !guard(this.context)) return false;
    if (target === this.#state) return true;
    states[this.#state].exit?.(this.context, this);
    this.#state = target;
    states[target].enter?.(this.context, this);
    return true;
  }
}
