import type { ClientSession, mongo } from 'mongoose';
import {
  recordAudit,
  takeTurn,
  findPage,
  type AuditEntryInput,
  type Mongo,
  type PageOf,
  type PageRequest,
  type SystemScope,
  type TenantScope,
} from '@weft/store';
import { COMPANIES } from '../people/company.schema.js';
import { DESTINATIONS, type DestinationDocument } from './destination.schema.js';

/** How a user changes a destination: these fields, in MongoDB's own time. */
export type DestinationChange = Pick<DestinationDocument, 'rate_limit' | 'state'>;

/** What is known of the destinations that the flows of a company call. Changes by users have their audit entry. */
export class DestinationRepository {
  constructor(private readonly mongo: Mongo) {}

  /** Also one of which users see nothing, because it is up and not limited. */
  async find({ companyId }: TenantScope, address: string): Promise<DestinationDocument | null> {
    return this.destinations().findOne({ _id: destinationId(companyId, address), company_id: companyId });
  }

  /** Those that are limited or not just up; by address, the last one first; `after` and `nextAfter` are addresses. */
  async list({ companyId }: TenantScope, page: PageRequest): Promise<PageOf<DestinationDocument>> {
    const after = page.after === null ? null : destinationId(companyId, page.after);
    const own: mongo.Filter<DestinationDocument> = { company_id: companyId, $or: NOT_PLAIN };
    const found = await findPage<DestinationDocument>(this.destinations(), own, { ...page, after }, {});
    return { ...found, nextAfter: found.nextAfter === null ? null : (found.items.at(-1)?.address ?? null) };
  }

  /** The stamps of companies: each changes with every change of a destination that calls depend on. No stamp: never changed. */
  async stamps(_scope: SystemScope, companyIds: readonly string[]): Promise<Map<string, number>> {
    const found = await this.mongo
      .collection<Stamped>(COMPANIES)
      .find({ _id: { $in: [...companyIds] } }, { projection: { destinations_rev: 1 } })
      .toArray();
    return new Map(found.map(({ _id, destinations_rev = 0 }) => [_id, destinations_rev]));
  }

  /** Those of several companies, for the workers that run their flows. */
  async ofCompanies(_scope: SystemScope, companyIds: readonly string[]): Promise<DestinationDocument[]> {
    return this.destinations()
      .find({ company_id: { $in: [...companyIds] } })
      .toArray();
  }

  /**
   * `conflict`: it is not what was read any more. `full`: users have limited or paused `most` destinations of the company
   * already. Nothing was written then.
   *
   * @param before null: it is not there yet
   */
  async change(
    { companyId }: TenantScope,
    address: string,
    before: DestinationDocument | null,
    after: DestinationChange,
    most: number,
    entry: AuditEntryInput,
  ): Promise<'saved' | 'conflict' | 'full'> {
    const _id = destinationId(companyId, address);
    const own = { _id, company_id: companyId };
    const isPlain = after.state === 'up' && after.rate_limit === null;
    const wasKept = before !== null && isKept(before);
    return this.mongo.transaction(async (session) => {
      if (before === null && (await this.destinations().findOne(own, { session }))) return 'conflict';
      if (!wasKept && isKept(after)) {
        await takeTurn(session, this.mongo, COMPANIES, { _id: companyId });
        const kept: mongo.Filter<DestinationDocument> = {
          company_id: companyId,
          $or: [{ rate_limit: { $ne: null } }, { state: 'paused' }],
        };
        if ((await this.destinations().countDocuments(kept, { session, limit: most })) >= most) return 'full';
      }
      if (before || !isPlain) {
        const isNew = before === null;
        const { matchedCount, upsertedCount } = await this.destinations().updateOne(
          isNew ? own : { ...own, rev: before.rev },
          [
            {
              $set: isNew
                ? { address: { $literal: address }, rev: 0, since: '$$NOW', ...pipelined(after) }
                : pipelined(after),
            },
            ...moves(before, after),
          ],
          { session, upsert: isNew },
        );
        if (matchedCount + upsertedCount === 0) return 'conflict';
        await stampDestinations(session, this.mongo, companyId);
      }
      await recordAudit(session, entry);
      return 'saved';
    });
  }

  private destinations(): mongo.Collection<DestinationDocument> {
    return this.mongo.collection<DestinationDocument>(DESTINATIONS);
  }
}

const NOT_PLAIN = [{ rate_limit: { $ne: null } }, { state: { $ne: 'up' as const } }];

interface Stamped {
  readonly _id: string;
  readonly destinations_rev?: number;
}

/** In the transaction of the change. */
export async function stampDestinations(session: ClientSession, mongo: Mongo, companyId: string): Promise<void> {
  const stamp = { $inc: { destinations_rev: 1 } };
  await mongo.collection<Stamped>(COMPANIES).updateOne({ _id: companyId }, stamp, { session });
}

export function destinationId(companyId: string, address: string): string {
  return `${companyId} ${address}`;
}

/** Limited or paused by a user: it is not forgotten by itself. */
function isKept({ rate_limit, state }: DestinationChange): boolean {
  return rate_limit !== null || state === 'paused';
}

/** Workers with an older book use a changed destination for this long. */
const STALE_MS = 5_000;

function pipelined({ rate_limit, state }: DestinationChange): object {
  return { state, rate_limit: { $literal: rate_limit } };
}

/** What follows of a change: of the state, when it is tried or released; of the limit, that those who wait come back. */
function moves(before: DestinationDocument | null, after: DestinationChange): object[] {
  const hasMoved = (before?.state ?? 'up') !== after.state;
  const isLoosened = before !== null && JSON.stringify(before.rate_limit) !== JSON.stringify(after.rate_limit);
  return [
    { $set: { rev: { $add: ['$rev', 1] } } },
    ...(hasMoved ? [{ $set: { since: '$$NOW', nextProbe: null, step: 0, releasedTo: '', evidence: [] } }] : []),
    // the rate of an outage that is over says nothing of the calls of now
    ...(after.state === 'paused' && (before?.state ?? 'up') === 'up' ? [{ $set: { rate: null } }] : []),
    ...(hasMoved && after.state === 'recovering' ? [{ $set: { lookAt: '$$NOW' } }] : []),
    ...(isLoosened
      ? [{ $set: { releasedTo: '', sweepUntil: { $add: ['$$NOW', STALE_MS] } } }, { $set: { lookAt: lookNow(after) } }]
      : []),
  ];
}

function lookNow({ state }: DestinationChange): unknown {
  return state === 'up' || state === 'recovering' ? '$$NOW' : '$lookAt';
}
