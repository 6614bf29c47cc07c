import { WeftError } from '@weft/kernel';
import { meansSecret } from '@weft/store';
import { type DedupeRule, type StoredVerifier, type TriggerFields } from '@weft/records';
import type { CreateTriggerBody, DedupeBody, UpdateTriggerBody, VerifierBody } from './trigger.requests.js';
import { readVerifier } from './verifying/read-verifier.js';
import type { VerifierSecrets } from './verifying/verify-delivery.js';

/** @throws WeftError `invalid_body` */
export function newFields(body: CreateTriggerBody): {
  readonly fields: TriggerFields;
  readonly secrets: VerifierSecrets;
} {
  const { verifier, secrets } = verifierOf(body.verifier);
  const fields = {
    name: body.name,
    verifier,
    dedupe: dedupeOf(body.dedupe ?? null),
    when: body.when ?? null,
    args: body.args ?? null,
    ...(body.secret_names && { secret_names: lowered(body.secret_names) }),
    ...(body.labels && { labels: body.labels }),
    wait: body.wait ?? 0,
    enabled: body.enabled ?? true,
  };
  return { fields, secrets };
}

/**
 * @param kept opens the secrets that are stored
 * @returns `secrets` null: they stay
 * @throws WeftError `invalid_body`
 */
export function changedFields(
  before: TriggerFields,
  body: UpdateTriggerBody,
  kept: () => VerifierSecrets,
): { readonly fields: TriggerFields; readonly secrets: VerifierSecrets | null } {
  const given = body.verifier;
  const read = given && verifierOf(given, given.type === before.verifier.type ? kept() : {});
  const labels = body.labels ?? before.labels;
  const secret_names = body.secret_names ? lowered(body.secret_names) : before.secret_names;
  const staysSealed = !read || (given.type === before.verifier.type && !namesSecrets(given));
  const fields = {
    name: body.name ?? before.name,
    verifier: read?.verifier ?? before.verifier,
    dedupe: body.dedupe === undefined ? before.dedupe : dedupeOf(body.dedupe),
    when: body.when === undefined ? before.when : body.when,
    args: body.args === undefined ? before.args : body.args,
    ...(secret_names && { secret_names }),
    ...(labels && { labels }),
    wait: body.wait ?? before.wait,
    enabled: body.enabled ?? before.enabled,
  };
  return { fields, secrets: staysSealed ? null : read.secrets };
}

/** Headers are compared in lower case. */
function lowered(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

function namesSecrets({ password, token, secrets }: VerifierBody): boolean {
  return [password, token, secrets].some((secret) => secret !== undefined);
}

function verifierOf(
  body: VerifierBody,
  kept?: VerifierSecrets,
): { readonly verifier: StoredVerifier; readonly secrets: VerifierSecrets } {
  const { open, secrets } = readVerifier(body, kept);
  const secret_count = Object.values(secrets).flat().length;
  return { verifier: { ...open, secret_count }, secrets };
}

/** @throws WeftError `invalid_body` */
function dedupeOf(body: DedupeBody | null): DedupeRule | null {
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
