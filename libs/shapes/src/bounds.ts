import { z } from 'zod';

export const DAY_MS = 86_400_000;
/** As long as a text with expressions may be: docs/operator-contract.md §1. */
const MAX_EXPRESSION_CHARS = 65_536;

const UNSEEN =
  String.raw`\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u200b-\u200f` +
  String.raw`\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb`;
export const SEEN = new RegExp(String.raw`^[^\u0000-\u001f\u007f]*[^\s${UNSEEN}][^\u0000-\u001f\u007f]*$`);
export const SEEN_SAYS = 'must be in one line, and have a character that can be seen';

/** What people call something: in one line, and not only of blanks or of what nobody sees. What a shape says goes after the field's name. */
export const seenName = z.string().min(1).max(200).regex(SEEN, SEEN_SAYS);

/** One expression in braces. A form takes it for one by its example. */
export const expression = (example: string) =>
  z
    .string()
    .min(1)
    .max(MAX_EXPRESSION_CHARS)
    .meta({ examples: [example] });

/** Users' own data under names of their own. */
export const freeObject = z.record(z.string(), z.unknown());
