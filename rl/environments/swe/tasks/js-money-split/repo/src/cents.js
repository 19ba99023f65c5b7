/** Amounts are numbers with two decimals; inside everything is whole cents. */
export const toCents = (amount) => amount * 100;

export const fromCents = (cents) => cents / 100;
