export const pad = (text, width, align) => (align === "right" ? text.padStart(width) : text.padEnd(width));
