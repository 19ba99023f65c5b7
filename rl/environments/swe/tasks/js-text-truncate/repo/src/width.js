import { characters } from "./characters.js";

export const width = (text) => characters(text).length;
