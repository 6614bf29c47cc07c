import mongoose, { type Schema } from 'mongoose';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_OPERATIONS, apiOperationSchema } from '../apis/api-operation.schema.js';
import { APIS, apiSchema } from '../apis/api.schema.js';
import { API_KEYS, apiKeySchema } from '../people/api-key.schema.js';
import {
  AUDIT_LOGS,
  auditSchema,
  AUDIT_COUNTS,
  auditCountsSchema,
  AUDIT_CHAINS,
  AUDIT_KEYS,
  AUDIT_SEALS,
  auditChainSchema,
  auditKeySchema,
  auditSealSchema,
  chainOf,
  CHANGE_BATCHES,
  changeBatchSchema,
  CHANGE_FEEDS,
  changeFeedSchema,
  FILE_USES,
  fileUseSchema,
  PAYLOAD_CHUNKS,
  PAYLOAD_FILES,
  payloadChunkSchema,
  payloadFileSchema,
  PLAYS,
  playSchema,
  type Mongo,
} from '@weft/store';
import { COMPANY_JOBS, companyJobSchema } from '../companies/company-job.schema.js';
import { COMPANIES, companySchema } from '../people/company.schema.js';
import { FLOW_VERSIONS, flowVersionSchema } from '../flows/flow-version.schema.js';
import { FLOW_STATS, statsSchema } from '../operations/stats.schema.js';
import { FLOW_GROUPS, flowGroupSchema } from '../flows/flow-group.schema.js';
import { FLOWS, flowSchema } from '../flows/flow.schema.js';
import { INTEGRATIONS, integrationSchema } from '../integrations/integration.schema.js';
import { GRANTS, grantSchema } from '../people/grant.schema.js';
import { GROUPS, groupSchema } from '../people/group.schema.js';
import { KEPT_EVENTS, keptEventSchema } from '../events/kept-event.schema.js';
import { KV_STORES, kvSchema } from '../flows/kv.schema.js';
import { BULKS, bulkSchema } from '../operations/bulk.schema.js';
import { HEALTH_PROBES, healthProbeSchema } from '../operations/health-probe.schema.js';
import { JOBS, jobSchema } from '../operations/job.schema.js';
import { LEASES, leaseSchema } from '../operations/lease.schema.js';
import { MIGRATIONS_COLLECTION, migrationSchema } from '../operations/migration.schema.js';
import { BACKUPS, backupSchema } from '../backup/backup.schema.js';
import { validationOf } from './collection-validators.js';
import { DESTINATIONS, destinationSchema } from '../destinations/destination.schema.js';
import { EXTERNAL_IDENTITIES, externalIdentitySchema } from '../people/external-identity.schema.js';
import { OAUTH_LOGINS, oauthLoginSchema } from '../people/oauth-login.schema.js';
import { OAUTH_PROVIDERS, oauthProviderSchema } from '../integrations/oauth-provider.schema.js';
import { ONE_TIME_LINKS, oneTimeLinkSchema } from '../people/one-time-link.schema.js';
import { RETENTION_POLICIES, retentionPolicySchema } from '../retention/retention-policy.schema.js';
import { RETENTION_STATES, retentionStateSchema } from '../retention/retention-state.schema.js';
import { SECRET_CHECKS, secretCheckSchema } from '../operations/secret-check.schema.js';
import { SCHEDULES, scheduleSchema } from '../schedules/schedule.schema.js';
import {
  TRIGGER_BODIES,
  TRIGGER_DELIVERIES,
  triggerBodySchema,
  triggerDeliverySchema,
} from '../triggers/trigger-delivery.schema.js';
import { TRIGGERS, triggerSchema } from '../triggers/trigger.schema.js';
import { SESSIONS, sessionSchema } from '../people/session.schema.js';
import { SETTINGS_COLLECTION, settingSchema } from '../operations/setting.schema.js';
import { FLOW_SAMPLES, sampleSchema } from '../flows/sample.schema.js';
import { TEST_CASES, testCaseSchema } from '../flows/test-case.schema.js';
import { WEBHOOK_DELIVERIES, deliverySchema } from '../webhooks/webhook-delivery.schema.js';
import { WEBHOOK_OUTBOXES, outboxSchema } from '../webhooks/webhook-outbox.schema.js';
import { WEBHOOK_REPLAYS, replaySchema } from '../webhooks/webhook-replay.schema.js';
import { WEBHOOKS, webhookSchema } from '../webhooks/webhook.schema.js';
import { USERS, userSchema } from '../people/user.schema.js';

export interface CollectionEntry {
  readonly name: string;
  readonly schema: Schema;
  /** Runs write to it: its documents have no validator, which would be evaluated in each of these writes. */
  readonly isOnRunPath?: true;
  /**
   * How the documents of a company are found: the field with its id, or a filter. Null: they belong to the installation, or go with those
   * of another collection. What a company has is deleted by this.
   */
  readonly ofCompany: CompanyKey | null;
  /** It defines what a company does, and goes into its export; what has come of that does not. */
  readonly isExported?: true;
}

type CompanyKey = string | ((companyId: string) => object);

const BY_ID = (companyId: string) => ({ _id: companyId });

/** Every collection of the product. A noun's schema file declares its indexes, each with the query it serves. */
export const COLLECTIONS: readonly CollectionEntry[] = [
  { name: COMPANIES, schema: companySchema, ofCompany: BY_ID },
  { name: USERS, schema: userSchema, ofCompany: 'company_roles.company_id', isExported: true },
  { name: SESSIONS, schema: sessionSchema, ofCompany: 'CompanyID' },
  { name: ONE_TIME_LINKS, schema: oneTimeLinkSchema, ofCompany: 'company_id' },
  { name: GROUPS, schema: groupSchema, ofCompany: 'company_id', isExported: true },
  { name: API_KEYS, schema: apiKeySchema, ofCompany: 'company_id' },
  { name: OAUTH_PROVIDERS, schema: oauthProviderSchema, ofCompany: null },
  { name: OAUTH_LOGINS, schema: oauthLoginSchema, ofCompany: 'company_id' },
  { name: EXTERNAL_IDENTITIES, schema: externalIdentitySchema, ofCompany: null },
  { name: INTEGRATIONS, schema: integrationSchema, ofCompany: 'CompanyID', isExported: true },
  { name: APIS, schema: apiSchema, ofCompany: 'company_id', isExported: true },
  { name: API_OPERATIONS, schema: apiOperationSchema, ofCompany: 'company_id', isExported: true },
  { name: SETTINGS_COLLECTION, schema: settingSchema, ofCompany: null },
  { name: HEALTH_PROBES, schema: healthProbeSchema, ofCompany: null },
  { name: JOBS, schema: jobSchema, ofCompany: null },
  { name: LEASES, schema: leaseSchema, ofCompany: null },
  { name: BULKS, schema: bulkSchema, ofCompany: 'company_id' },
  { name: MIGRATIONS_COLLECTION, schema: migrationSchema, ofCompany: null },
  { name: FLOWS, schema: flowSchema, ofCompany: 'company_id', isExported: true },
  { name: FLOW_VERSIONS, schema: flowVersionSchema, ofCompany: 'companyId', isExported: true },
  { name: SCHEDULES, schema: scheduleSchema, ofCompany: 'company_id', isExported: true },
  { name: DESTINATIONS, schema: destinationSchema, ofCompany: 'company_id', isExported: true },
  { name: TRIGGERS, schema: triggerSchema, ofCompany: 'company_id', isExported: true },
  { name: TRIGGER_DELIVERIES, schema: triggerDeliverySchema, isOnRunPath: true, ofCompany: 'company_id' },
  { name: TRIGGER_BODIES, schema: triggerBodySchema, isOnRunPath: true, ofCompany: 'company_id' },
  { name: KEPT_EVENTS, schema: keptEventSchema, isOnRunPath: true, ofCompany: 'company_id' },
  { name: TEST_CASES, schema: testCaseSchema, ofCompany: 'company_id', isExported: true },
  { name: FLOW_SAMPLES, schema: sampleSchema, ofCompany: 'company_id', isExported: true },
  { name: FLOW_STATS, schema: statsSchema, isOnRunPath: true, ofCompany: 'company_id' },
  { name: PLAYS, schema: playSchema, isOnRunPath: true, ofCompany: 'company_id' },
  { name: CHANGE_FEEDS, schema: changeFeedSchema, ofCompany: BY_ID },
  { name: CHANGE_BATCHES, schema: changeBatchSchema, ofCompany: 'company_id' },
  { name: WEBHOOKS, schema: webhookSchema, ofCompany: 'company_id', isExported: true },
  { name: WEBHOOK_OUTBOXES, schema: outboxSchema, ofCompany: BY_ID },
  { name: WEBHOOK_DELIVERIES, schema: deliverySchema, ofCompany: 'company_id' },
  { name: WEBHOOK_REPLAYS, schema: replaySchema, ofCompany: 'company_id' },
  { name: KV_STORES, schema: kvSchema, isOnRunPath: true, ofCompany: 'company_id', isExported: true },
  { name: FLOW_GROUPS, schema: flowGroupSchema, ofCompany: 'company_id', isExported: true },
  { name: GRANTS, schema: grantSchema, ofCompany: 'CompanyID', isExported: true },
  { name: AUDIT_LOGS, schema: auditSchema, ofCompany: 'company_id' },
  { name: AUDIT_SEALS, schema: auditSealSchema, ofCompany: (id) => ({ chain: chainOf(id) }) },
  { name: AUDIT_CHAINS, schema: auditChainSchema, ofCompany: (id) => ({ _id: chainOf(id) }) },
  { name: AUDIT_KEYS, schema: auditKeySchema, ofCompany: null },
  { name: AUDIT_COUNTS, schema: auditCountsSchema, ofCompany: (id) => ({ _id: chainOf(id) }) },
  { name: SECRET_CHECKS, schema: secretCheckSchema, ofCompany: null },
  { name: COMPANY_JOBS, schema: companyJobSchema, ofCompany: null },
  { name: BACKUPS, schema: backupSchema, ofCompany: null },
  { name: RETENTION_POLICIES, schema: retentionPolicySchema, ofCompany: 'company_id', isExported: true },
  { name: RETENTION_STATES, schema: retentionStateSchema, ofCompany: BY_ID },
  { name: PAYLOAD_FILES, schema: payloadFileSchema, isOnRunPath: true, ofCompany: 'metadata.company_id' },
  { name: FILE_USES, schema: fileUseSchema, isOnRunPath: true, ofCompany: 'company_id' },
  { name: PAYLOAD_CHUNKS, schema: payloadChunkSchema, isOnRunPath: true, ofCompany: null },
];

/** What finds the documents of a company in a collection that has some. */
export function companyFilter(ofCompany: CompanyKey, companyId: string): object {
  return typeof ofCompany === 'string' ? { [ofCompany]: companyId } : ofCompany(companyId);
}

/** Of these an export of a company has all that is the company's. */
export const EXPORTED: readonly CollectionEntry[] = COLLECTIONS.filter(({ isExported }) => isExported);

/** Its indexes follow from the names of fields that a `standstill` migration may change, so they are made after it. */
export const COLLECTIONS_OF_PLAYS: readonly CollectionEntry[] = COLLECTIONS.filter(({ name }) => name === PLAYS);
/** MongoDB checks their documents against their schemas. */
export const VALIDATED_COLLECTIONS: readonly CollectionEntry[] = COLLECTIONS.filter(({ isOnRunPath }) => !isOnRunPath);
/** Their indexes are made before any migration runs. */
export const OTHER_COLLECTIONS: readonly CollectionEntry[] = COLLECTIONS.filter(({ name }) => name !== PLAYS);

/**
 * Makes all collections and indexes, then looks whether the unique ones are really there: without them idempotency and
 * tenancy would be lies, so a process must not serve. Safe when many processes do it at once on an empty database.
 *
 * @throws Error naming each index that could not be made or is not as declared
 */
export async function ensureIndexes(
  mongo: Mongo,
  collections: readonly CollectionEntry[] = COLLECTIONS,
): Promise<void> {
  const faults = (await Promise.all(collections.map((entry) => ensureCollection(mongo, entry)))).flat();
  if (faults.length > 0) {
    throw new Error(
      `The database's indexes are not as Weft needs them. Repair or drop these:\n  ${faults.join('\n  ')}`,
    );
  }
}

/** An index that is declared, and that the database does not have as it is declared. */
export interface MissingIndex {
  readonly collection: string;
  /** `plays {"companyId":1,"_id":-1}`. */
  readonly name: string;
}

/** Makes none. */
export async function missingIndexes(mongo: Mongo): Promise<readonly MissingIndex[]> {
  const missing = COLLECTIONS.map(async ({ name, schema }) => {
    const present = await indexesOf(mongo.collection(name));
    const absent = declaredIndexes(schema).filter((index) => !present?.some((each) => isAsDeclared(each, index)));
    return absent.map(({ key }) => ({ collection: name, name: `${name} ${JSON.stringify(key)}` }));
  });
  return (await Promise.all(missing)).flat();
}

const ASK_AGAIN_AFTER_MS = 500;
const NAMESPACE_NOT_FOUND = 26;
const NAMESPACE_EXISTS = 48;

interface IndexDefinition {
  readonly key: Readonly<Record<string, unknown>>;
  readonly [option: string]: unknown;
}

async function ensureCollection(mongo: Mongo, entry: CollectionEntry): Promise<string[]> {
  const { name, schema } = entry;
  const { connection } = mongo;
  const db = connection.getClient().db(connection.name);
  const collection = mongo.collection(name);
  const declared = declaredIndexes(schema);
  const present = await indexesOf(collection);
  // made here and not by a first write: in a transaction of another process that would be a conflict
  if (present === null) {
    await untilAnswered(() => db.createCollection(name, entry.isOnRunPath ? {} : { ...validationOf(entry) })).catch(
      (error: Error & { code?: unknown }) => {
        if (error.code !== NAMESPACE_EXISTS) throw error;
      },
    );
  }
  if (declared.length === 0) return [];

  const make = (indexes: readonly IndexDefinition[]) =>
    untilAnswered(() => collection.createIndexes(indexes as never, AS_LONG_AS_IT_TAKES).then(() => null));
  // also those that MongoDB lists: it lists what another process is building, and this waits for it; for what is there it costs nothing
  const fault = await make(declared).catch(indexFault);
  const faults: string[] = [];
  // of several at once one fault does not say whose it is
  for (const index of fault === null ? [] : declared) {
    const its = await make([index]).catch(indexFault);
    if (its !== null) faults.push(`${name} ${JSON.stringify(index.key)}: ${its.message}`);
  }
  if (faults.length > 0) return faults;

  const missing = declared.filter((index) => !present?.some((each) => isAsDeclared(each, index)));
  const unique = missing.filter((index) => index.unique === true);
  const made = unique.length > 0 ? await indexesOf(collection) : null;
  return unique
    .filter((index) => !made?.some((each) => isAsDeclared(each, index)))
    .map(({ key }) => `${name} ${JSON.stringify(key)}: the unique index is missing`);
}

function declaredIndexes(schema: Schema): readonly IndexDefinition[] {
  return schema.indexes().map(([key, options]) => {
    // mongoose's own default; MongoDB builds indexes without blocking anyway
    const { background: _, ...rest } = options;
    return { key, ...rest };
  });
}

/**
 * Over many documents an index takes longer than a connection waits for an answer. Asking again would wait for the same build, on one
 * more connection each time.
 */
const AS_LONG_AS_IT_TAKES: object = { socketTimeoutMS: 0 };

/**
 * A connection may end while an index is built, and what waits for the build takes longer than a connection waits for an answer. The
 * build goes on at the server, and who asks again waits for the same one: a process that ended instead would be started again
 * and again meanwhile.
 */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      // a server that is unreachable cannot be selected, which is another error
      if (!(error instanceof mongoose.mongo.MongoNetworkError)) throw error;
      await sleep(ASK_AGAIN_AFTER_MS);
    }
  }
}

/** Null when the collection does not exist. */
export function indexesOf(collection: { indexes(): Promise<unknown> }): Promise<readonly IndexDefinition[] | null> {
  const ask = () => collection.indexes() as Promise<readonly IndexDefinition[]>;
  return untilAnswered(ask).catch((error: Error & { code?: unknown }) => {
    if (error.code !== NAMESPACE_NOT_FOUND) throw error;
    return null;
  });
}

/** Whether MongoDB has the index under its name, with every option that is declared and with no other. */
function isAsDeclared({ v: _, ...present }: IndexDefinition, declared: IndexDefinition): boolean {
  const name = Object.entries(declared.key).flat().join('_');
  const wanted: IndexDefinition = { name, ...declared };
  const options = new Set([...Object.keys(present), ...Object.keys(wanted)]);
  return [...options].every((option) => sameJson(present[option], wanted[option]));
}

/** @throws the error itself when it is neither a conflicting definition nor duplicates in the data (no connection) */
function indexFault(error: Error): Error {
  if ('code' in error && [67, 85, 86, 11000].includes(Number(error.code))) return error;
  throw error;
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}
