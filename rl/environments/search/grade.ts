/**
 * Words of an answer: lower case, without punctuation and English articles. As SQuAD normalises (Rajpurkar et al. 2016,
 * 1606.05250).
 */
export const words = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]/gu, "")
    .split(/\s+/)
    .filter((word) => word !== "" && !["a", "an", "the"].includes(word));

export const isExact = (given: string, answer: string) => words(given).join(" ") === words(answer).join(" ");

/** F1 of the words that both have, each as often as both have it. */
export function f1(given: string, answer: string): number {
  const [said, right] = [words(given), words(answer)];
  const rest = [...right];
  const common = said.filter((word) => {
    const at = rest.indexOf(word);
    if (at >= 0) rest.splice(at, 1);
    return at >= 0;
  }).length;
  return common === 0 ? Number(said.length + right.length === 0) : (2 * common) / (said.length + right.length);
}
