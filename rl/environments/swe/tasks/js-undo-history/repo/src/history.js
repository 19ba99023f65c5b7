import { clone } from "./clone.js";

export class History {
  #past = [];
  #future = [];
  #now;
  #limit;
  #clock;

  constructor(document, { limit = 100, clock = Date.now } = {}) {
    this.#now = clone(document);
    this.#limit = limit;
    this.#clock = clock;
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  /** A new state of the document. */
  record(document, { group } = {}) {
    if (this.#past.length < this.#limit) this.#past.push(this.#now);
    this.#now = clone(document);
  }

  undo() {
    this.#future.push(this.#now);
    this.#now = this.#past.pop();
    return clone(this.#now);
  }

  redo() {
    this.#past.push(this.#now);
    this.#now = this.#future.pop();
    return clone(this.#now);
  }
}
