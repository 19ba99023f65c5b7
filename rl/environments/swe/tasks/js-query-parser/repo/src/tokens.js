/** Words, phrases and signs with their positions. */
export function tokenize(text) {
  return text
    .toLowerCase()
    .replace(/([()])/g, " $1 ")
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((value) => ({ type: ["and", "or", "not", "(", ")"].includes(value) ? value : "word", value: value.replaceAll('"', "") }));
}
