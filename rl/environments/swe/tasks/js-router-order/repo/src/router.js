import { match } from "./match.js";

export class Router {
  #routes = [];

  add(method, pattern, handler) {
    this.#routes.push({ method, pattern, handler });
    return this;
  }

  /** The handler of a request and its parameters, or null. */
  find(method, path) {
    for (const route of this.#routes) {
      if (route.method !== method) continue;
      const params = match(route.pattern, path);
      if (params) return { handler: route.handler, params };
    }
    return null;
  }
}
