import type { LinkKind } from '@weft/shapes';
import type { mongo } from 'mongoose';
import type { Mongo, SystemScope } from '@weft/store';
import type { ClientFields, TokenFields } from './token-fields.js';

/** A record with tokens, of whichever collection. */
export interface TokenRecord extends TokenFields, ClientFields {
  readonly _id: string;
  readonly CompanyID?: string;
}

type DueRecord = Pick<TokenRecord, '_id' | 'CompanyID'>;

/** Kinds of links whose tokens need nobody's consent. */
const WITHOUT_CONSENT: readonly LinkKind[] = ['oauth2_client_credentials', 'aws_sigv4'];

/**
 * Refreshing stored tokens, by one process at a time: whoever writes the lease refreshes, and only the holder of the lease
 * writes tokens. Times are MongoDB's clock. Records are reached by id after their owner was checked, or as due ones of all
 * companies.
 */
export class TokenRecords {
  constructor(
    private readonly mongo: Mongo,
    readonly collection: string,
  ) {}

  async find(_scope: SystemScope, id: string): Promise<TokenRecord | null> {
    return this.records().findOne({ _id: id });
  }

  /**
   * Records whose refresh is due and that nobody is refreshing: the one of each company that is due for longest, then the
   * second one of each, and so on. Without those that need nobody's consent: their tokens are fetched when they are used.
   */
  async findDue(_scope: SystemScope, now: Date, limit: number): Promise<DueRecord[]> {
    // the type shows MongoDB that the index has all of them
    const isDue = { RefreshAt: { $lte: now, $type: 'date' }, Kind: { $nin: WITHOUT_CONSENT } };
    const turn = { partitionBy: '$CompanyID', sortBy: { RefreshAt: 1 }, output: { turn: { $documentNumber: {} } } };
    return this.records()
      .aggregate<DueRecord>([
        { $match: { ...isDue, ...isFree(now) } },
        { $project: { CompanyID: 1, RefreshAt: 1 } },
        { $setWindowFields: turn },
        { $sort: { turn: 1, RefreshAt: 1 } },
        { $limit: limit },
        { $project: { CompanyID: 1 } },
      ])
      .toArray();
  }

  /** The record, when its refresh is due and nobody else is at it: it is this process' until `until`. */
  async lease(_scope: SystemScope, id: string, by: string, now: Date, until: Date): Promise<TokenRecord | null> {
    return this.records().findOneAndUpdate(
      { _id: id, RefreshAt: { $lte: now }, ...isFree(now) },
      { $set: { RefreshBy: by, RefreshLease: until } },
      { returnDocument: 'after' },
    );
  }

  /** Makes a refresh due, if the record still has this token, which a peer has refused. */
  async makeDue(_scope: SystemScope, id: string, accessToken: string, now: Date): Promise<void> {
    await this.records().updateOne({ _id: id, AccessToken: accessToken }, { $set: { RefreshAt: now } });
  }

  /** What a refresh brought, or that there will be none. False when the lease went to somebody else. */
  async endLease(_scope: SystemScope, id: string, by: string, fields: Partial<TokenFields>): Promise<boolean> {
    const { matchedCount } = await this.records().updateOne(
      { _id: id, RefreshBy: by },
      { $set: { ...fields, RefreshBy: null, RefreshLease: null } },
    );
    return matchedCount === 1;
  }

  private records(): mongo.Collection<TokenRecord> {
    return this.mongo.collection<TokenRecord>(this.collection);
  }
}

function isFree(now: Date): mongo.Filter<TokenRecord> {
  return { $or: [{ RefreshLease: null }, { RefreshLease: { $lte: now } }] };
}
