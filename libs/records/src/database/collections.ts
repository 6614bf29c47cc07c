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
}

/** Every collection of the product. A noun's schema file declares its indexes, each with the query it serves. */
export const COLLECTIONS: readonly CollectionEntry[] = [
  { name: COMPANIES, schema: companySchema },
  { name: USERS, schema: userSchema },
  { name: SESSIONS, schema: sessionSchema },
  { name: ONE_TIME_LINKS, schema: oneTimeLinkSchema },
  { name: GROUPS, schema: groupSchema },
  { name: API_KEYS, schema: apiKeySchema },
  { name: OAUTH_PROVIDERS, schema: oauthProviderSchema },
  { name: OAUTH_LOGINS, schema: oauthLoginSchema },
  { name: EXTERNAL_IDENTITIES, schema: externalIdentitySchema },
  { name: INTEGRATIONS, schema: integrationSchema },
  { name: APIS, schema: apiSchema },
  { name: API_OPERATIONS, schema: apiOperationSchema },
  { name: SETTINGS_COLLECTION, schema: settingSchema },
  { name: JOBS, schema: jobSchema },
  { name: LEASES, schema: leaseSchema },
  { name: BULKS, schema: bulkSchema },
  { name: MIGRATIONS_COLLECTION, schema: migrationSchema },
  { name: FLOWS, schema: flowSchema },
  { name: FLOW_VERSIONS, schema: flowVersionSchema },
  { name: SCHEDULES, schema: scheduleSchema },
  { name: DESTINATIONS, schema: destinationSchema },
  { name: TRIGGERS, schema: triggerSchema },
  { name: TRIGGER_DELIVERIES, schema: triggerDeliverySchema, isOnRunPath: true },
  { name: TRIGGER_BODIES, schema: triggerBodySchema, isOnRunPath: true },
  { name: KEPT_EVENTS, schema: keptEventSchema, isOnRunPath: true },
  { name: TEST_CASES, schema: testCaseSchema },
  { name: FLOW_STATS, schema: statsSchema, isOnRunPath: true },
  { name: PLAYS, schema: playSchema, isOnRunPath: true },
  { name: CHANGE_FEEDS, schema: changeFeedSchema },
  { name: CHANGE_BATCHES, schema: changeBatchSchema },
  { name: WEBHOOKS, schema: webhookSchema },
  { name: WEBHOOK_OUTBOXES, schema: outboxSchema },
  { name: WEBHOOK_DELIVERIES, schema: deliverySchema },
  { name: WEBHOOK_REPLAYS, schema: replaySchema },
  { name: KV_STORES, schema: kvSchema, isOnRunPath: true },
  { name: FLOW_GROUPS, schema: flowGroupSchema },
  { name: GRANTS, schema: grantSchema },
  { name: AUDIT_LOGS, schema: auditSchema },
  { name: AUDIT_SEALS, schema: auditSealSchema },
  { name: AUDIT_CHAINS, schema: auditChainSchema },
  { name: AUDIT_KEYS, schema: auditKeySchema },
  { name: AUDIT_COUNTS, schema: auditCountsSchema },
  { name: SECRET_CHECKS, schema: secretCheckSchema },
  { name: BACKUPS, schema: backupSchema },
  { name: RETENTION_POLICIES, schema: retentionPolicySchema },
  { name: RETENTION_STATES, schema: retentionStateSchema },
  { name: PAYLOAD_FILES, schema: payloadFileSchema, isOnRunPath: true },
  { name: FILE_USES, schema: fileUseSchema, isOnRunPath: true },
  { name: PAYLOAD_CHUNKS, schema: payloadChunkSchema, isOnRunPath: true },
];

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
  const missing = declared.filter((index) => !present?.some((each) => isAsDeclared(each, index)));
  if (missing.length === 0) return [];

  const make = (indexes: readonly IndexDefinition[]) =>
    untilAnswered(() => collection.createIndexes(indexes as never, AS_LONG_AS_IT_TAKES).then(() => null));
  const fault = await make(missing).catch(indexFault);
  const faults: string[] = [];
  // of several at once one fault does not say whose it is
  for (const index of fault === null ? [] : missing) {
    const its = await make([index]).catch(indexFault);
    if (its !== null) faults.push(`${name} ${JSON.stringify(index.key)}: ${its.message}`);
  }
  if (faults.length > 0) return faults;

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
