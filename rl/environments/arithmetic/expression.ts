import { ToolError } from "../tools.js";

/**
 * The value of an expression of numbers, + - * /, signs and parentheses, with the usual precedence.
 * @throws ToolError saying where it cannot be read, or that it divides by zero
 */
export function evaluate(expression: string): number {
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|\S/g) ?? [];
  let at = 0;
  let depth = 0;
  const sum = (): number => {
    let value = product();
    while (tokens[at] === "+" || tokens[at] === "-")
      value = tokens[at++] === "+" ? value + product() : value - product();
    return value;
  };
  const product = (): number => {
    let value = factor();
    while (tokens[at] === "*" || tokens[at] === "/")
      value = tokens[at++] === "*" ? value * factor() : divide(value, factor());
    return value;
  };
  const factor = (): number => {
    if (++depth > maxDepth) throw new ToolError("the expression is nested too deeply");
    const token = tokens[at++];
    const value = token === "-" ? -factor() : token === "(" ? group() : Number(token ?? "nothing");
    if (Number.isNaN(value))
      throw new ToolError(`cannot read ${token === undefined ? "the end" : `"${token}"`} of ${expression}`);
    depth--;
    return value;
  };
  const group = (): number => {
    const value = sum();
    if (tokens[at++] !== ")") throw new ToolError(`a parenthesis is not closed in ${expression}`);
    return value;
  };
  const value = sum();
  if (at < tokens.length) throw new ToolError(`cannot read "${tokens[at]}" in ${expression}`);
  return value;
}

const maxDepth = 100;

function divide(a: number, b: number): number {
  if (b === 0) throw new ToolError("division by zero");
  return a / b;
}
