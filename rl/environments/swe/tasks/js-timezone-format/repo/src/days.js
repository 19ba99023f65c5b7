/** A calendar day, YYYY-MM-DD, some days later. */
export function addDays(day, count) {
  const [year, month, date] = day.split("-").map(Number);
  return [year, String(month).padStart(2, "0"), String(date + count).padStart(2, "0")].join("-");
}
