/** Who is computed at the moment. */
export const stack = [];
