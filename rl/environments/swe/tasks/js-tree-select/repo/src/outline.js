export class Outline {
  #items = new Map([[0, { id: 0, text: "", parent: null, children: [] }]]);
  #ids = 0;

  /** Id of a new item; 0 is the root. */
  add(text, parent = 0) {
    const id = ++this.#ids;
    this.#items.set(id, { id, text, parent, children: [] });
    this.#items.get(parent).children.push(id);
    return id;
  }

  find(id) {
    return this.#items.get(id);
  }

  /** Puts an item, with all below it, under another parent. `index`: its place there afterwards. */
  move(id, parent, index = Number.POSITIVE_INFINITY) {
    const item = this.#items.get(id);
    this.#items.get(parent).children.splice(index, 0, id);
    const old = this.#items.get(item.parent).children;
    old.splice(old.indexOf(id), 1);
    item.parent = parent;
  }

  remove(id) {
    const { parent } = this.#items.get(id);
    const { children } = this.#items.get(parent);
    children.splice(children.indexOf(id), 1);
    this.#items.delete(id);
  }

  get size() {
    return this.#items.size - 1;
  }
}
