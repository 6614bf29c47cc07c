import type { ClientSession } from 'mongoose';
import { API_KEYS, type ApiKeyDocument } from './api-key.schema.js';
import type { Mongo } from '@weft/store';
import { EXTERNAL_IDENTITIES, type ExternalIdentityDocument } from './external-identity.schema.js';
import type { UserDocument } from './user.schema.js';

/** What lets somebody act as a user without the password. */
export interface WaysIn {
  readonly identities: readonly ExternalIdentityDocument[];
  /** Not revoked, not expired; in the user's companies. */
  readonly keys: readonly ApiKeyDocument[];
}

/** Which of them are taken away. */
export interface WaysToEnd {
  readonly identities: boolean;
  readonly keys: boolean;
}

/** @returns what was ended and what is left, newest first */
export async function endWaysIn(
  mongo: Mongo,
  session: ClientSession,
  user: Pick<UserDocument, '_id' | 'company_roles'>,
  ends: WaysToEnd,
  at: Date,
): Promise<{ readonly ended: WaysIn; readonly left: WaysIn }> {
  const [ties, apiKeys] = [
    mongo.collection<ExternalIdentityDocument>(EXTERNAL_IDENTITIES),
    mongo.collection<ApiKeyDocument>(API_KEYS),
  ];
  const identities = await ties.find({ user_id: user._id }, { session }).sort({ _id: -1 }).toArray();
  const company_id = { $in: user.company_roles.map((place) => place.company_id) };
  const usable = { company_id, user_id: user._id, revoked_at: null, expires_at: { $gt: at } };
  const keys = await apiKeys.find(usable, { session }).sort({ _id: -1 }).toArray();
  if (ends.identities) await ties.deleteMany({ user_id: user._id }, { session });
  if (ends.keys) await apiKeys.updateMany(usable, { $set: { revoked_at: at } }, { session });
  return {
    ended: { identities: ends.identities ? identities : [], keys: ends.keys ? keys : [] },
    left: { identities: ends.identities ? [] : identities, keys: ends.keys ? [] : keys },
  };
}
