import { WeftError } from '@weft/kernel';
import { meansSecret } from '@weft/store';
import type { DedupeRule, StoredVerifier, TriggerFields } from '@weft/records';
import { changed, triggerShape, type Verifier } from '@weft/shapes';
import type { CreateTriggerBody, UpdateTriggerBody } from './trigger.requests.js';
import { assertValueFits } from '../http/value-size.js';
import { isAnswerHeader } from './hooks/hook-answer.js';
import { readVerifier } from './verifying/read-verifier.js';
import type { VerifierSecrets } from './verifying/verify-delivery.js';

/** The verifier is read by its type, and its secrets are sealed. */
const OPEN = triggerShape.omit({ verifier: true });
type Open = Omit<TriggerFields, 'verifier'>;

/** @throws WeftError `invalid_body` */
export function newFields({ verifier: given, ...body }: CreateTriggerBody): {
  readonly fields: TriggerFields;
  readonly secrets: VerifierSecrets;
} {
  const { verifier, secrets } = verifierOf(given);
  return { fields: { ...stored(OPEN.parse(body)), verifier }, secrets };
}

/**
 * @param kept opens the secrets that are stored
 * @returns `secrets` null: they stay
 * @throws WeftError `invalid_body`
 */
export function changedFields(
  before: TriggerFields,
  { verifier: given, ...body }: UpdateTriggerBody,
  kept: () => VerifierSecrets,
): { readonly fields: TriggerFields; readonly secrets: VerifierSecrets | null } {
  const read = given && verifierOf(given, given.type === before.verifier.type ? kept() : {});
  const staysSealed = !read || (given.type === before.verifier.type && !namesSecrets(given));
  const fields = { ...stored(changed(OPEN, before, body)), verifier: read?.verifier ?? before.verifier };
  return { fields, secrets: staysSealed ? null : read.secrets };
}

/** @throws WeftError `invalid_body` */
function stored({ dedupe, secret_names, ...fields }: Open): Open {
  assertAlone(fields);
  assertRespondFits(fields.respond);
  return { ...fields, dedupe: dedupeOf(dedupe), ...(secret_names && { secret_names: lowered(secret_names) }) };
}

/** @throws WeftError `invalid_body` */
function assertAlone({ action, wait }: Omit<Open, 'dedupe' | 'secret_names'>): void {
  if (!action || wait === 0) return;
  const message = 'a trigger with an action starts no play whose end it could wait for';
  throw new WeftError('invalid_body', `${message}.`, { errors: [{ path: 'wait', code: 'invalid', message }] });
}

/** Kept in memory with the trigger, as its args are. */
const MAX_RESPOND_BYTES = 16 * 1024;

/** @throws WeftError `invalid_body` */
function assertRespondFits(respond: Open['respond']): void {
  if (!respond) return;
  assertValueFits('respond', respond, MAX_RESPOND_BYTES);
  for (const name of Object.keys(respond.headers ?? {})) {
    if (isAnswerHeader(name)) continue;
    const path = `respond.headers.${name}`;
    const message = `a trigger may not answer with the header ${name.slice(0, 100)}`;
    throw new WeftError('invalid_body', `${message}.`, { errors: [{ path, code: 'invalid', message }] });
  }
}

/** Headers are compared in lower case. */
function lowered(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

function namesSecrets({ password, token, secrets }: Verifier): boolean {
  return [password, token, secrets].some((secret) => secret !== undefined);
}

function verifierOf(
  body: Verifier,
  kept?: VerifierSecrets,
): { readonly verifier: StoredVerifier; readonly secrets: VerifierSecrets } {
  const { open, secrets } = readVerifier(body, kept);
  const secret_count = Object.values(secrets).flat().length;
  return { verifier: { ...open, secret_count }, secrets };
}

/** @throws WeftError `invalid_body` */
function dedupeOf(body: DedupeRule | null): DedupeRule | null {
  if (body === null) return null;
  const { header, expression } = body;
  if ((header === undefined) === (expression === undefined)) {
    const message = 'dedupe has a header or an expression, one of the two';
    throw new WeftError('invalid_body', `${message}.`, { errors: [{ path: 'dedupe', code: 'invalid', message }] });
  }
  if (header === undefined) return { expression };
  if (meansSecret(header)) {
    const message = 'a header with a credential cannot be the id of a delivery';
    throw new WeftError('invalid_body', `${message}.`, {
      errors: [{ path: 'dedupe.header', code: 'invalid', message }],
    });
  }
  return { header: header.toLowerCase() };
}
