import type { TriggerFields } from '@weft/records';
import { isSame } from '../verifying/verify-delivery.js';
import { presetOf, type Challenge } from '../verifying/signature-scheme.js';
import type { HookReply } from './hook-answer.js';

/** `when` of a trigger is an expression, that of a type names fields. */
type KnownChallenge = Pick<Challenge, 'in' | 'field' | 'as' | 'isUnsigned'> & { readonly when?: unknown };

/** Of what is given back. */
const MAX_CHALLENGE = 1_000;

/** How the sender checks the address: as the trigger says, or as its type does. */
export function challengeOf({
  challenge,
  verifier,
}: Pick<TriggerFields, 'challenge' | 'verifier'>): KnownChallenge | null {
  return challenge ?? presetOf(verifier.type)?.challenge ?? null;
}

/**
 * The answer to a check of the address; null: it is not a check.
 *
 * @param fields the query, or the body
 */
export function challengeIn({ field, as, when }: KnownChallenge, fields: unknown, token?: string): HookReply | null {
  const given = fieldIn(fields, field);
  const text = typeof given === 'number' ? String(given) : given;
  if (typeof text !== 'string' || text === '' || text.length > MAX_CHALLENGE) return null;
  // a condition of the trigger is an expression, and judged where it can be evaluated
  const needed = Object.entries((typeof when === 'object' ? when : null) ?? {}) as [string, string | null][];
  if (!needed.every(([name, value]) => isSame(fieldIn(fields, name), value ?? token ?? ''))) return null;
  return as === 'text'
    ? { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: text }
    : {
        status: 200,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify({ [field]: given }),
      };
}

function fieldIn(fields: unknown, name: string): unknown {
  return typeof fields === 'object' && fields !== null && Object.hasOwn(fields, name)
    ? (fields as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
