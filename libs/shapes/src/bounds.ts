import { z } from 'zod';

export const DAY_MS = 86_400_000;
/** As long as a text with expressions may be: docs/operator-contract.md §1. */
const MAX_EXPRESSION_CHARS = 65_536;

/** One expression in braces. A form takes it for one by its example. */
export const expression = (example: string) =>
  z
    .string()
    .min(1)
    .max(MAX_EXPRESSION_CHARS)
    .meta({ examples: [example] });

/** Users' own data under names of their own. */
export const freeObject = z.record(z.string(), z.unknown());
