import type { ApiFacts, ImportReport, Operation } from '@weft/openapi';
import type { ClientSession, mongo } from 'mongoose';
import type { Mongo, SystemScope } from '@weft/store';
import { FLOW_VERSIONS, type FlowVersionDocument } from '../flows/flow-version.schema.js';
import { toOperation, type StoredOperation } from './api-operation.repository.js';
import { API_OPERATIONS, apiOperationId, type ApiOperationDocument } from './api-operation.schema.js';
import { APIS, type ApiDocument, type ApiSource, type AskedImport, type RefreshOutcome } from './api.schema.js';

/** An import, which belongs to its claimer until the lease ends. */
export type ImportTurn = ApiDocument & { readonly asked: AskedImport };

/** What a refresh has found; when it ended is known when it is stored. */
export type Compared = Omit<RefreshOutcome, 'at'>;

export type OperationMark = Pick<ApiOperationDocument, 'name' | 'digest' | 'current'>;

/** States of operations that are stored; `past`: those that are not current. */
export interface StoredStates {
  readonly count: number;
  readonly past: number;
  readonly bytes: number;
}

/** What an import that is more than a comparison has found. */
export interface Imported {
  readonly source: ApiSource;
  readonly facts: ApiFacts;
  readonly report: ImportReport;
  readonly documentDigest: string;
  /** As `inUse` has read them: nobody else changes them in this turn. */
  readonly before: readonly OperationMark[];
  /** Of all operations of the document: each was stored in this turn, or was there. */
  readonly current: readonly Pick<Operation, 'name' | 'digest'>[];
}

/** Operations that are removed at once. */
const REMOVED_AT_ONCE = 500;
/** Of an operation, without its large texts: its names and tags, and what the index has of it. */
const BYTES_OF_REST = 1_000;
/** How long an operation is kept to which nothing is pinned. */
const UNUSED_MS = 24 * 3_600_000;

const later = (ms: number) => ({ $add: ['$$NOW', ms] });

/**
 * Imports that are asked for, and who works on each. All times are MongoDB's. What a turn writes it writes only while it is its own: an
 * import that was asked for anew, or taken over, or whose API was deleted, writes nothing any more.
 */
export class ApiImportsRepository {
  constructor(private readonly mongo: Mongo) {}

  /**
   * The import that has waited longest, for `leaseMs` the claimer's. Null: none is to be done now.
   *
   * @param but companies whose imports are left out
   */
  async claim(_scope: SystemScope, leaseMs: number, but: readonly string[]): Promise<ImportTurn | null> {
    const found = await this.apis().findOneAndUpdate(
      // the index is read up to now, give or take what this process knows of MongoDB's clock; MongoDB decides
      {
        turnAt: { $lte: new Date(this.mongo.serverNow() + 1_000) },
        ...(but.length > 0 && { company_id: { $nin: [...but] } }),
        $expr: { $lte: ['$turnAt', '$$NOW'] },
      },
      [{ $set: { turnAt: later(leaseMs), term: plusOne('term'), attempts: plusOne('attempts') } }],
      { sort: { turnAt: 1 }, returnDocument: 'after' },
    );
    return found as ImportTurn | null;
  }

  /** @returns false when the turn is over: stop working */
  async renew(turn: ImportTurn, leaseMs: number): Promise<boolean> {
    return (await this.apis().updateOne(ofTurn(turn), [{ $set: { turnAt: later(leaseMs) } }])).matchedCount === 1;
  }

  /** Ends the turn without a result: the import is done again later. @param isFault false: the turn does not count */
  async postpone(turn: ImportTurn, pauseMs: number, isFault: boolean): Promise<void> {
    const attempts = isFault ? turn.attempts : turn.attempts - 1;
    await this.apis().updateOne(ofTurn(turn), [{ $set: { turnAt: later(pauseMs), term: plusOne('term'), attempts } }]);
  }

  /** What is stored of the API's operations: counted in the index alone. */
  async stored({ _id, company_id }: ImportTurn): Promise<StoredStates> {
    const [found] = await this.operations()
      .aggregate<StoredStates>([
        { $match: { company_id, apiId: _id } },
        {
          $group: {
            _id: null,
            count: { $sum: 1 },
            past: { $sum: { $cond: ['$current', 0, 1] } },
            bytes: { $sum: '$bytes' },
          },
        },
        { $project: { _id: 0 } },
      ])
      .toArray();
    return found ?? { count: 0, past: 0, bytes: 0 };
  }

  /** The operations that are current, and those to which layers may be pinned: read from the index alone. */
  async inUse(turn: ImportTurn, { past }: StoredStates): Promise<OperationMark[]> {
    const { _id: apiId, company_id } = turn;
    const pinned = past > 0 ? await this.pinnedDigests(turn) : [];
    const which = pinned.length > 0 ? { $or: [{ current: true }, { digest: { $in: pinned } }] } : { current: true };
    return this.operations()
      .find<OperationMark>({ company_id, apiId, ...which }, { projection: { _id: 0, name: 1, digest: 1, current: 1 } })
      .toArray();
  }

  /** Those of them that are there. */
  async operationsAt({ _id, company_id }: ImportTurn, marks: readonly OperationMark[]): Promise<StoredOperation[]> {
    if (marks.length === 0) return [];
    const ids = marks.map(({ name, digest }) => apiOperationId(_id, name, digest));
    return (
      await this.operations()
        .find({ _id: { $in: ids }, company_id })
        .toArray()
    ).map(toOperation);
  }

  /** Stores operations that are not current yet; of those that are there the texts. @returns false when the turn is over */
  store(turn: ImportTurn, operations: readonly Operation[], leaseMs: number): Promise<boolean> {
    const writes = operations.map((operation) => storing(turn, operation));
    return this.inTurn(turn, [{ $set: { turnAt: later(leaseMs) } }], async (session) => {
      await this.operations().bulkWrite(writes, { session, ordered: false });
    });
  }

  /** The import has succeeded. @returns false when the turn is over */
  async finish(turn: ImportTurn, imported: Imported, refresh: Compared | null): Promise<boolean> {
    const { source, facts, report, documentDigest, before, current } = imported;
    const now = new Date(this.mongo.serverNow());
    const idOf = ({ name, digest }: Pick<Operation, 'name' | 'digest'>) => apiOperationId(turn._id, name, digest);
    const was = new Set(before.filter((mark) => mark.current).map(idOf));
    const is = new Set(current.map(idOf));
    const changed = [
      [[...was].filter((id) => !is.has(id)), false],
      [[...is].filter((id) => !was.has(id)), true],
    ] as const;
    const { bytes: storedBytes } = await this.stored(turn);
    const found = { source, facts: JSON.stringify(facts), report, documentDigest, importedAt: now, storedBytes };
    return this.inTurn(
      turn,
      ending({ ...found, state: 'ready', refresh: refresh && { ...refresh, at: now } }, now),
      async (session) => {
        for (const [ids, isCurrent] of changed) {
          await this.operations().updateMany(
            { company_id: turn.company_id, _id: { $in: ids } },
            { $set: { current: isCurrent, pastSince: isCurrent ? null : now } },
            { session },
          );
        }
      },
    );
  }

  /**
   * Removes operations that are not current for a day, and to which no version of a flow is pinned; those of unfinished imports, too. A
   * flow that is being saved was pinned to what was current then.
   */
  async removeUnused({ _id: apiId, company_id }: Pick<ImportTurn, '_id' | 'company_id'>): Promise<void> {
    const before = new Date(this.mongo.serverNow() - UNUSED_MS);
    const past = { company_id, apiId, current: false, $or: [{ pastSince: null }, { pastSince: { $lt: before } }] };
    if ((await this.operations().findOne(past, { projection: { _id: 1 } })) === null) return;
    await this.operations().deleteMany({ ...past, digest: { $nin: await this.pinnedDigests({ company_id }) } });
  }

  /** To which versions of flows of the company are pinned, by any name: an API may have had another key then, and may have it again. */
  private async pinnedDigests({ company_id }: Pick<ImportTurn, 'company_id'>): Promise<string[]> {
    const pinned = await Promise.all([
      this.pinned(company_id, 'layers.args.digest', ['operation', 'mcp-tool']),
      this.pinned(company_id, 'layers.args.tools.digest', ['agent']),
    ]);
    return pinned.flat();
  }

  private async pinned(companyId: string, field: string, appIds: readonly string[]): Promise<string[]> {
    const ofThem = { companyId, 'layers.appId': { $in: appIds } } as mongo.Filter<FlowVersionDocument>;
    return (await this.mongo.collection<FlowVersionDocument>(FLOW_VERSIONS).distinct(field, ofThem)) as string[];
  }

  /** Removes the operations of an API that was deleted, and then the API. It may be done again from any place. */
  async removeAll(turn: ImportTurn, signal: AbortSignal): Promise<void> {
    const { _id: apiId, company_id } = turn;
    for (;;) {
      signal.throwIfAborted();
      const found = await this.operations()
        .find({ company_id, apiId }, { projection: { _id: 1 } })
        .limit(REMOVED_AT_ONCE)
        .toArray();
      if (found.length === 0) break;
      await this.operations().deleteMany({ company_id, _id: { $in: found.map(({ _id }) => _id) } });
    }
    await this.apis().deleteOne(ofTurn(turn));
  }

  /** Bytes that the operations of the company's other APIs have. */
  async bytesOfOthers({ _id, company_id }: ImportTurn): Promise<number> {
    const others = await this.apis()
      .find({ company_id, _id: { $ne: _id } }, { projection: { storedBytes: 1 } })
      .toArray();
    return others.reduce((sum, { storedBytes = 0 }) => sum + storedBytes, 0);
  }

  /** The comparison that was asked for is there. */
  async compared(turn: ImportTurn, refresh: Compared): Promise<void> {
    const at = new Date(this.mongo.serverNow());
    await this.end(turn, { state: 'ready', refresh: { ...refresh, at } });
  }

  /** Nothing can be imported, for this reason. What was imported before stays. */
  async fail(turn: ImportTurn, fault: string): Promise<void> {
    await this.end(turn, { state: 'failed', fault });
  }

  private async end(turn: ImportTurn, fields: Partial<ApiDocument>): Promise<void> {
    const now = new Date(this.mongo.serverNow());
    await this.apis().updateOne(ofTurn(turn), ending(fields, now));
  }

  /** One transaction with a write to the API, which conflicts with whatever ends the turn. */
  private inTurn(
    turn: ImportTurn,
    update: mongo.UpdateFilter<ApiDocument> | mongo.Document[],
    write: (session: ClientSession) => Promise<void>,
  ): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { matchedCount } = await this.apis().updateOne(ofTurn(turn), update, { session });
      if (matchedCount === 0) return false;
      await write(session);
      return true;
    });
  }

  private apis(): mongo.Collection<ApiDocument> {
    return this.mongo.collection<ApiDocument>(APIS);
  }

  private operations(): mongo.Collection<ApiOperationDocument> {
    return this.mongo.collection<ApiOperationDocument>(API_OPERATIONS);
  }
}

function ofTurn({ _id, term }: ImportTurn) {
  return { _id, term };
}

function plusOne(field: string) {
  return { $add: [`$${field}`, 1] };
}

function ending(fields: Partial<ApiDocument>, updatedAt: Date): mongo.UpdateFilter<ApiDocument> {
  return {
    $set: { fault: null, asked: null, attempts: 0, updatedAt, ...fields },
    $unset: { turnAt: true },
    $inc: { term: 1 },
  };
}

function storing(
  { _id: apiId, company_id, kind }: ImportTurn,
  operation: Operation,
): mongo.AnyBulkWriteOperation<ApiOperationDocument> {
  const { name, digest, title, description, tags, deprecated, plan, argsSchema, outSchema } = operation;
  // what the digest leaves out of the plan is for people, too: descriptions, and how pages are proposed
  const texts = { title, description, tags, deprecated, plan: JSON.stringify(plan) };
  const schemas = { argsSchema: JSON.stringify(argsSchema), outSchema: JSON.stringify(outSchema) };
  const large = [description, texts.plan, schemas.argsSchema, schemas.outSchema];
  const bytes = large.reduce((sum, text) => sum + Buffer.byteLength(text), BYTES_OF_REST);
  const what = {
    ...{ company_id, apiId, kind, name, digest, current: false, pastSince: null },
    ...{ method: plan.method, path: plan.path, ...schemas },
  };
  const filter = { _id: apiOperationId(apiId, name, digest) };
  return { updateOne: { filter, update: { $set: { ...texts, bytes }, $setOnInsert: what }, upsert: true } };
}
