import { WeftError } from '@weft/kernel';
import { meansSecret } from '@weft/store';
import type { DedupeRule, StoredVerifier, TriggerFields } from '@weft/records';
import { changed, triggerShape, type Verifier } from '@weft/shapes';
import type { CreateTriggerBody, UpdateTriggerBody } from './trigger.requests.js';
import { assertValueFits } from '../http/value-size.js';
import { isAnswerHeader } from './hooks/hook-answer.js';
import { readSource } from './read-source.js';
import { readVerifier } from './verifying/read-verifier.js';
import type { VerifierSecrets } from './verifying/verify-delivery.js';

/** The verifier and the source are read by their types, and the secrets are sealed. */
const OPEN = triggerShape.omit({ verifier: true, type: true, source: true });
type Open = Omit<TriggerFields, 'verifier' | 'type' | 'source'>;
const NO_VERIFIER = { type: 'none', secret_count: 0 };

/** @throws WeftError `invalid_body` */
export function newFields({ verifier: given, type = 'hook', source, ...body }: CreateTriggerBody): {
  readonly fields: TriggerFields;
  readonly secrets: VerifierSecrets;
} {
  const fields = stored(OPEN.parse(body));
  if (type !== 'hook') {
    const read = readSource(type, source, { ...fields, verifier: given });
    return { fields: { ...fields, type, source: read, verifier: NO_VERIFIER }, secrets: {} };
  }
  if (source) throw invalid('source', 'a trigger of type hook has an address, and no source');
  if (!given) throw invalid('verifier', 'verifier must say how a delivery proves who sent it');
  const { verifier, secrets } = verifierOf(given);
  return { fields: { ...fields, verifier }, secrets };
}

/**
 * @param kept opens the secrets that are stored
 * @returns `secrets` null: they stay
 * @throws WeftError `invalid_body`
 */
export function changedFields(
  before: TriggerFields,
  { verifier: given, type, source, ...body }: UpdateTriggerBody,
  kept: () => VerifierSecrets,
): { readonly fields: TriggerFields; readonly secrets: VerifierSecrets | null } {
  if (type !== undefined && type !== (before.type ?? 'hook')) {
    throw invalid('type', 'the type of a trigger never changes: make another one');
  }
  const fields = stored(changed(OPEN, before, body));
  if (before.type) {
    const read = readSource(before.type, source ?? before.source, { ...fields, verifier: given });
    return { fields: { ...fields, type: before.type, source: read, verifier: before.verifier }, secrets: null };
  }
  if (source) throw invalid('source', 'a trigger of type hook has an address, and no source');
  const read = given && verifierOf(given, given.type === before.verifier.type ? kept() : {});
  const staysSealed = !read || (given.type === before.verifier.type && !namesSecrets(given));
  return {
    fields: { ...fields, verifier: read?.verifier ?? before.verifier },
    secrets: staysSealed ? null : read.secrets,
  };
}

function invalid(path: string, message: string): WeftError {
  return new WeftError('invalid_body', `${message}.`, { errors: [{ path, code: 'invalid', message }] });
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
  throw invalid('wait', 'a trigger with an action starts no play whose end it could wait for');
}

/** Kept in memory with the trigger, as its args are. */
const MAX_RESPOND_BYTES = 16 * 1024;

/** @throws WeftError `invalid_body` */
function assertRespondFits(respond: Open['respond']): void {
  if (!respond) return;
  assertValueFits('respond', respond, MAX_RESPOND_BYTES);
  for (const name of Object.keys(respond.headers ?? {})) {
    if (isAnswerHeader(name)) continue;
    throw invalid(`respond.headers.${name}`, `a trigger may not answer with the header ${name.slice(0, 100)}`);
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
    throw invalid('dedupe', 'dedupe has a header or an expression, one of the two');
  }
  if (header === undefined) return { expression };
  if (meansSecret(header)) {
    throw invalid('dedupe.header', 'a header with a credential cannot be the id of a delivery');
  }
  return { header: header.toLowerCase() };
}
