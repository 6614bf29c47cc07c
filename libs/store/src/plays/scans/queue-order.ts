/** The queues of all companies in order of company and queue: where a walk over them goes on. */

/**
 * How far a walk has come: to this queue; with nothing but a company: to the company's last queue, whatever its name; null: it
 * begins.
 */
export type Reached<Key extends { readonly companyId: string }> = Key | Pick<Key, 'companyId'> | null;

/** @param fields of the order, each with the value that was reached: the first one that differs is greater */
export function comesAfter(...fields: readonly (readonly [field: string, value: unknown])[]): object {
  const later = fields.map(([field, value], i) => ({
    ...Object.fromEntries(fields.slice(0, i)),
    [field]: { $gt: value },
  }));
  return { $or: later };
}
