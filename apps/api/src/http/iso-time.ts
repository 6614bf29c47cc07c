/** Times as texts, in bodies and queries. */

/** ISO 8601 with its zone. */
export const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The time; for a date without a time its start in UTC. Null when it does not exist: `Date` alone reads 31 February as 3 March. */
export function readTime(text: string): Date | null {
  if (!ISO_TIME.test(text) && !ISO_DATE.test(text)) return null;
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  const time = new Date(text);
  const exists = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10));
  return exists && !Number.isNaN(time.getTime()) ? time : null;
}
