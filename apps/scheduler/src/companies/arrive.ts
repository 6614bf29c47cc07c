import { createHash } from 'node:crypto';
import type { mongo } from 'mongoose';
import type { SecretBox } from '@weft/identity';
import { APIS, INTEGRATIONS, SCHEDULES, TRIGGERS, USERS, WEBHOOKS } from '@weft/records';
import { sealNewSecret, type Signing } from '@weft/webhooks';

export interface Arrival {
  readonly companyId: string;
  readonly secrets: SecretBox;
  readonly now: Date;
  /** Names something that somebody has to give, or to switch on. */
  readonly leave: (kind: string, name: unknown) => void;
}

type Arrive = (document: mongo.Document, arrival: Arrival) => mongo.Document;

const ENDED = new Date(0);

/** What becomes of documents whose secrets stayed behind, and of what would begin by itself. */
const ARRIVE: Readonly<Record<string, Arrive>> = {
  [USERS]: (user, { companyId, leave }) => {
    leave('users', user.email);
    const places = (user.company_roles as readonly { readonly company_id: string }[] | undefined) ?? [];
    const company_roles = places.filter(({ company_id }) => company_id === companyId);
    return { ...user, company_roles, operator: false, password_hash: null, last_activity: null };
  },
  [INTEGRATIONS]: (link, { companyId, secrets, leave }) => {
    leave('links', link.Name);
    const place = { companyId, collection: INTEGRATIONS, recordId: String(link._id), field: 'AccessToken' };
    const none = { RefreshToken: null, RefreshAt: null, RefreshLease: null, RefreshBy: null, TokenExpiry: ENDED };
    return { ...link, ...none, AccessToken: secrets.seal(place, ''), RefreshError: 'not_connected' };
  },
  [TRIGGERS]: (trigger, { leave }) => {
    leave('triggers', trigger.name);
    // nobody knows a token of it: `rotate` gives it an address
    const token_hash = createHash('sha256')
      .update(`imported ${String(trigger._id)}`)
      .digest('base64url');
    return { ...trigger, token_hash, secret: null, enabled: false };
  },
  [WEBHOOKS]: (webhook, { companyId, secrets, now, leave }) => {
    leave('webhooks', webhook.name);
    const of = { _id: String(webhook._id), company_id: companyId };
    const { sealed } = sealNewSecret(secrets, of, webhook.signing as Signing);
    const fresh = { previous_secret: null, previous_until: null, failing_since: null, failures: 0 };
    return { ...webhook, ...fresh, secret: sealed, enabled: false, from_batch: 0, from_at: now };
  },
  [SCHEDULES]: (schedule, { leave }) => {
    if (schedule.enabled === true) leave('schedules', schedule.schedule);
    const rests = { nextSlot: null, attendAt: null, pending: [], open: [], last: null, rested: false };
    return { ...schedule, ...rests, enabled: false };
  },
  [APIS]: ({ turnAt: _, ...api }) => ({ ...api, asked: null, term: 0, attempts: 0 }),
};

/** The document as it is stored here. */
export function arrive(collection: string, document: mongo.Document, arrival: Arrival): mongo.Document {
  return ARRIVE[collection]?.(document, arrival) ?? document;
}
