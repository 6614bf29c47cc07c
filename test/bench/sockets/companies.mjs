// @ts-check
import { createHash, randomBytes } from 'node:crypto';

const SESSION_MS = 3_600_000;

/** @typedef {{ id: string, cookies: string[], runPath: string }} Company */

/**
 * Copies of the company, its admin and its flow with other names: what a hundred customers would have created.
 *
 * @param {import('mongoose').mongo.Db} db @param {string} flowId @param {string} name @param {number} users
 * @returns {Promise<Company>}
 */
export async function addCompany(db, flowId, name, users) {
  const id = `bench-${name}`;
  const now = new Date();
  /** @type {import('mongoose').mongo.Collection<any>} */
  const companies = db.collection('companies');
  await companies.insertOne({ ...(await companies.findOne({})), _id: id, name });

  /** @type {import('mongoose').mongo.Collection<any>} */
  const people = db.collection('users');
  const admin = await people.findOne({ operator: true });
  /** @type {import('mongoose').mongo.Collection<any>} */
  const sessions = db.collection('sessions');
  const cookies = [];
  for (let i = 0; i < users; i += 1) {
    const email = `${name}-${i}@bench.example`;
    const company_roles = [{ company_id: id, role: 'admin', group_ids: [] }];
    const user = { ...admin, _id: `${id}-${i}`, email, email_key: email, operator: false, company_roles };
    await people.insertOne(user);
    const sid = randomBytes(32).toString('base64url');
    await sessions.insertOne({
      ...{ _id: `${user._id}-session`, SessionHash: createHash('sha256').update(sid).digest('base64url') },
      ...{ UserID: user._id, CompanyID: id, UserAgent: 'bench', IPAddress: '127.0.0.1' },
      ...{ CreatedAt: now, LastActivity: now, ExpiresAt: new Date(now.getTime() + SESSION_MS) },
    });
    cookies.push(`sid=${sid}`);
  }

  const copyId = `${id}-flow`;
  /** @type {import('mongoose').mongo.Collection<any>} */
  const flows = db.collection('flows');
  await flows.insertOne({
    ...(await flows.findOne(/** @type {any} */ ({ _id: flowId }))),
    _id: copyId,
    company_id: id,
  });
  /** @type {import('mongoose').mongo.Collection<any>} */
  const versions = db.collection('flow_versions');
  for (const version of await versions.find({ flowId }).toArray()) {
    await versions.insertOne({ ...version, _id: `${copyId}:${version.version}`, flowId: copyId, companyId: id });
  }
  return { id, cookies, runPath: `/api/v1/flows/${copyId}/run` };
}
