import { parse } from "./parse.js";

/** Documents that match; words in any case. */
export function search(query, documents) {
  const tree = parse(query);
  return documents.filter((text) => matches(tree, text.toLowerCase()));
}

function matches(node, text) {
  if (node.op === "and") return matches(node.left, text) && matches(node.right, text);
  if (node.op === "or") return matches(node.left, text) || matches(node.right, text);
  if (node.op === "not") return !matches(node.of, text);
  return text.includes(node.word.toLowerCase());
}
