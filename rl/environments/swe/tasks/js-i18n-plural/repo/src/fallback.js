/** Locales to look into. */
export const chain = (locale) => [locale, "en"];
