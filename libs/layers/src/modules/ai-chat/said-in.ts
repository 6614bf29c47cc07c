import { parseJson } from '@weft/kernel';
import { z } from 'zod';
import type { Refusal } from '../../call/linked-request.js';

/** As OpenAI, Anthropic and the servers that copy them answer; some have the message without an object around it. */
const refusal = z.looseObject({
  error: z.union([z.string(), z.looseObject({ message: z.string(), code: z.unknown().optional() })]),
});

/** What the body of a refusal says; null: it is of another form. */
export function saidIn(body: string): Refusal | null {
  try {
    const { error } = refusal.parse(parseJson(body));
    return { said: typeof error === 'string' ? error : error.message };
  } catch {
    return null;
  }
}
