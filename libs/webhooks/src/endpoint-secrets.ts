import type { SecretBox, SecretPlace } from '@weft/identity';
import { WEBHOOKS, type WebhookDocument } from '@weft/records';
import { newSecret, Signer, type Signing } from './signing.js';

/** For this long after a rotation both secrets sign. */
export const ROTATION_MS = 24 * 3_600_000;

type Place = Pick<WebhookDocument, '_id' | 'company_id'>;

/** @returns the sealed secret to store, and what the receiver needs, which is shown once */
export function sealNewSecret(box: SecretBox, webhook: Place, signing: Signing): { sealed: string; shown: string } {
  const { secret, shown } = newSecret(signing);
  return { sealed: box.seal(placeOf(webhook, 'secret'), secret), shown };
}

/** The new secret of an endpoint, while the one before goes on signing. */
export function rotatedSecret(
  box: SecretBox,
  webhook: WebhookDocument,
  now: Date,
): { fields: Pick<WebhookDocument, 'secret' | 'previous_secret' | 'previous_until'>; shown: string } {
  const { sealed, shown } = sealNewSecret(box, webhook, webhook.signing);
  const previous = box.open(placeOf(webhook, 'secret'), webhook.secret);
  return {
    fields: {
      secret: sealed,
      previous_secret: box.seal(placeOf(webhook, 'previous_secret'), previous),
      previous_until: new Date(now.getTime() + ROTATION_MS),
    },
    shown,
  };
}

/** @throws SecretUnreadable */
export function signerOf(box: SecretBox, webhook: WebhookDocument, now: Date): Signer {
  const secrets = [box.open(placeOf(webhook, 'secret'), webhook.secret)];
  const { previous_secret: previous, previous_until: until } = webhook;
  if (previous !== null && until !== null && until > now) {
    secrets.push(box.open(placeOf(webhook, 'previous_secret'), previous));
  }
  return new Signer(secrets);
}

function placeOf({ _id, company_id }: Place, field: 'secret' | 'previous_secret'): SecretPlace {
  return { companyId: company_id, collection: WEBHOOKS, recordId: _id, field };
}
