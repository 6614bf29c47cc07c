import { recordAudit, unlessTaken, type Mongo, type SystemScope } from '@weft/store';
import { SETTINGS_COLLECTION, type SettingDocument } from '../operations/setting.schema.js';
import { USERS, type UserDocument } from './user.schema.js';
import { COMPANIES, type CompanyDocument } from './company.schema.js';

/** Its `_id` is what makes the founding happen once, however many processes start together. */
const FOUNDED = 'founded';

/** True when the installation has its first admin, or had users before it knew this marker. */
export async function isProvisioned(mongo: Mongo, _scope: SystemScope): Promise<boolean> {
  const [marker, user] = await Promise.all([
    mongo.collection<SettingDocument>(SETTINGS_COLLECTION).findOne({ _id: FOUNDED }),
    mongo.collection<UserDocument>(USERS).findOne({}, { projection: { _id: 1 } }),
  ]);
  return marker !== null || user !== null;
}

/**
 * Stores the first company and its admin, once.
 *
 * @returns false when somebody else did it first; nothing was written then
 */
export function provision(
  mongo: Mongo,
  _scope: SystemScope,
  company: CompanyDocument,
  admin: UserDocument,
): Promise<boolean> {
  return unlessTaken(
    mongo.transaction(async (session) => {
      await mongo
        .collection<SettingDocument>(SETTINGS_COLLECTION)
        .insertOne({ _id: FOUNDED, value: { company_id: company._id }, at: company.created_at }, { session });
      await mongo.collection<CompanyDocument>(COMPANIES).insertOne(company, { session });
      await mongo.collection<UserDocument>(USERS).insertOne(admin, { session });
      const of = { company_id: company._id, outcome: 'success' } as const;
      await recordAudit(session, {
        ...of,
        action_type: 'company_created',
        collection: COMPANIES,
        resource_type: 'company',
        resource_id: company._id,
        changes: { name: { before: null, after: company.name } },
      });
      await recordAudit(session, {
        ...of,
        action_type: 'user_created',
        collection: USERS,
        resource_type: 'user',
        resource_id: admin._id,
        changes: { role: { before: null, after: 'admin' } },
      });
    }),
  );
}
