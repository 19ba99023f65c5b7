import { tokenize } from "./tokens.js";

/** A tree of { op: "and" | "or", left, right }, { op: "not", of } and { word }. */
export function parse(text) {
  const tokens = tokenize(text);
  let at = 0;
  const operand = () => {
    const token = tokens[at++];
    if (token.type === "not") return { op: "not", of: expression() };
    if (token.type === "(") {
      const inner = expression();
      at++;
      return inner;
    }
    return { word: token.value };
  };
  const expression = () => {
    let left = operand();
    while (tokens[at]?.type === "and" || tokens[at]?.type === "or") {
      const op = tokens[at++].type;
      left = { op, left, right: operand() };
    }
    return left;
  };
  return expression();
}
