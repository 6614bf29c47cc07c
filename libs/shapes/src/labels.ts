/** Labels of plays: texts by key, by which people find plays again. */
import { z } from 'zod';

/** A play has no more: of more, those of the higher precedence stay. */
export const MAX_LABELS = 10;
export const LABEL_KEY = /^[A-Za-z0-9_.-]{1,63}$/;
export const MAX_LABEL_VALUE = 255;

export const labelsShape = z
  .record(z.string().regex(LABEL_KEY), z.string().min(1).max(MAX_LABEL_VALUE))
  .refine((all) => labelsFault(all) === null, 'at most ten labels, none with the character NUL')
  .meta({ maxProperties: MAX_LABELS });

/** What is wrong with labels from outside, in words; null: nothing. `labels` is an object. */
export function labelsFault(labels: Readonly<Record<string, unknown>>): string | null {
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) return `there are ${entries.length} labels; at most ${MAX_LABELS} are allowed`;
  for (const [key, value] of entries) {
    if (!LABEL_KEY.test(key))
      return `a key has 1 to 63 letters, digits, "_", "." or "-"; "${key.slice(0, 80)}" has not`;
    if (typeof value !== 'string' || value.length === 0 || value.length > MAX_LABEL_VALUE)
      return `"${key}" must be a text of 1 to ${MAX_LABEL_VALUE} characters`;
    if (value.includes('\0')) return `"${key}" must not contain the character NUL`;
  }
  return null;
}
