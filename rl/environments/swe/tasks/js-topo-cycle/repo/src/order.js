/** Targets so that each comes after its dependencies. */
export function order(graph) {
  const out = [];
  const visit = (name) => {
    if (out.includes(name)) return;
    out.push(name);
    for (const dependency of graph[name]) visit(dependency);
  };
  for (const name of Object.keys(graph)) visit(name);
  return out.reverse();
}
