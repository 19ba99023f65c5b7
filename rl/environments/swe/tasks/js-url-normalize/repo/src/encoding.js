/** Percent encoding in its usual form. */
export const canonical = (text) => text;
