/** Nodes that a graph names, in its own order, then those only named as dependencies. */
export function nodesOf(graph) {
  return [...new Set([...Object.keys(graph), ...Object.values(graph).flat()])];
}
