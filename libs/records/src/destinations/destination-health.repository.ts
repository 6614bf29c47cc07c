import {
  CONFIRM_MS,
  DOWN_CALLS,
  DOWN_SHARE,
  EVIDENCE_MS,
  PROBE_LEASE_MS,
  probeDelayMs,
  type CallEvidence,
} from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo, TenantScope } from '@weft/store';
import { destinationId, stampDestinations } from './destination.repository.js';
import { DESTINATIONS, type DestinationDocument, type DestinationState } from './destination.schema.js';

/** Destinations of a company that are kept because calls to them fail: a flow that calls any number of hosts fills no collection. */
const MAX_OBSERVED = 500;
const MAX_WORKERS = 100;
/** A destination that was only suspect is forgotten after this. */
const FORGET_MS = 30_000;

/** By how many failed before, the last one also after more. */
const PROBE_DELAYS = Array.from({ length: 10 }, (_, failedProbes) => probeDelayMs(failedProbes));

const NOW = '$$NOW';
const after = (ms: number) => ({ $add: [NOW, ms] });

/**
 * What workers and schedulers write of outages: each write is conditional on the state, and its times are those of the primary.
 * A change that calls depend on is one transaction with the company's stamp, by which workers read it.
 */
export class DestinationHealthRepository {
  constructor(private readonly mongo: Mongo) {}

  /**
   * Adds what a worker saw to what others saw, and decides whether the destination is down.
   *
   * @returns what it is then, and whether this report decided it; null: the company has too many such destinations, and this
   * one is not recorded
   */
  async report(
    { companyId }: TenantScope,
    address: string,
    worker: string,
    seen: CallEvidence & { readonly rate: number },
  ): Promise<{ readonly now: DestinationDocument; readonly wentDown: boolean } | null> {
    const own = { _id: destinationId(companyId, address), company_id: companyId };
    return this.mongo.transaction(async (session) => {
      const found = await this.all().findOne(own, { session });
      if (!found) {
        const observed = { company_id: companyId, rate_limit: null, state: { $ne: 'paused' as const } };
        const count = await this.all().countDocuments(observed, { session, limit: MAX_OBSERVED });
        if (count >= MAX_OBSERVED) return null;
      } else if (found.state !== 'up') return { now: found, wentDown: false };
      const fresh = { address: { $literal: address }, state: 'up', since: NOW, rate_limit: null, rev: 0 };
      const saved = await this.all().findOneAndUpdate(
        { ...own, ...(found && { state: 'up' }) },
        [...(found ? [] : [{ $set: fresh }]), ...evidenceOf(worker, seen), ...VERDICT],
        { session, upsert: !found, returnDocument: 'after' },
      );
      const wasSuspect = found?.suspectSince?.getTime() === saved?.suspectSince?.getTime();
      if (!saved) return null;
      const wentDown = saved.state !== 'up';
      if (wentDown || !wasSuspect) await stampDestinations(session, this.mongo, companyId);
      return { now: saved, wentDown };
    });
  }

  /** Whether the caller has the one call that may be made now. */
  async takeProbe({ companyId }: TenantScope, address: string): Promise<boolean> {
    const { modifiedCount } = await this.all().updateOne(
      {
        ...{ _id: destinationId(companyId, address), company_id: companyId, state: 'down' },
        $expr: { $lte: ['$nextProbe', NOW] },
      },
      [{ $set: { nextProbe: after(PROBE_LEASE_MS), lookAt: after(PROBE_LEASE_MS) } }],
    );
    return modifiedCount > 0;
  }

  /** The next one comes later. @param failed false: nothing is known of how it ended */
  async probeFailed({ companyId }: TenantScope, address: string, failed: boolean): Promise<void> {
    const delayMs = { $arrayElemAt: [PROBE_DELAYS, { $min: ['$failedProbes', PROBE_DELAYS.length - 1] }] };
    const nextProbe = { $add: [NOW, delayMs] };
    await this.all().updateOne({ _id: destinationId(companyId, address), company_id: companyId, state: 'down' }, [
      { $set: { failedProbes: { $add: [{ $ifNull: ['$failedProbes', 0] }, failed ? 1 : 0] } } },
      { $set: { nextProbe, lookAt: nextProbe } },
    ]);
  }

  /** The peer has answered: calls come back in steps. @returns false: somebody else was faster */
  async recover(scope: TenantScope, address: string): Promise<boolean> {
    return this.move(scope, address, 'down', { state: 'recovering', step: 0, lookAt: NOW, nextProbe: null });
  }

  /** Calls fail again while they come back. */
  async fallBack(scope: TenantScope, address: string): Promise<boolean> {
    const nextProbe = after(probeDelayMs(1));
    return this.move(scope, address, 'recovering', { state: 'down', nextProbe, lookAt: nextProbe, failedProbes: 1 });
  }

  private async move(
    { companyId }: TenantScope,
    address: string,
    from: DestinationState,
    set: Readonly<Record<string, unknown>>,
  ): Promise<boolean> {
    const own = { _id: destinationId(companyId, address), company_id: companyId, state: from };
    return this.mongo.transaction(async (session) => {
      const moved = { since: NOW, releasedTo: '', evidence: [], rev: { $add: ['$rev', 1] } };
      const { modifiedCount } = await this.all().updateOne(own, [{ $set: { ...moved, ...set } }], { session });
      if (modifiedCount === 0) return false;
      await stampDestinations(session, this.mongo, companyId);
      return true;
    });
  }

  private all(): mongo.Collection<DestinationDocument> {
    return this.mongo.collection<DestinationDocument>(DESTINATIONS);
  }
}

/** The evidence of this worker in place of its last one; that of others as long as it is fresh. */
function evidenceOf(worker: string, { calls, failed, rate }: CallEvidence & { readonly rate: number }): object[] {
  const isFresh = { $gt: ['$$one.at', { $subtract: [NOW, EVIDENCE_MS] }] };
  const others = {
    $filter: {
      input: { $ifNull: ['$evidence', []] },
      as: 'one',
      cond: { $and: [{ $ne: ['$$one.worker', { $literal: worker }] }, isFresh] },
    },
  };
  const before = {
    $filter: { input: { $ifNull: ['$evidence', []] }, as: 'one', cond: isFresh },
  };
  // The rate is that of before: a worker keeps what it reported first. What it reports some seconds later has repeats of failed calls.
  const mine = { $filter: { input: '$before', as: 'one', cond: { $eq: ['$$one.worker', { $literal: worker }] } } };
  const kept = { $ifNull: [{ $first: { $map: { input: mine, as: 'one', in: '$$one.rate' } } }, rate] };
  const own = { worker: { $literal: worker }, calls, failed, rate: kept, at: NOW };
  return [
    { $set: { before } },
    {
      $set: {
        suspectSince: { $cond: [{ $eq: ['$before', []] }, NOW, { $ifNull: ['$suspectSince', NOW] }] },
        evidence: { $slice: [{ $concatArrays: [others, [own]] }, -MAX_WORKERS] },
        lookAt: { $ifNull: ['$lookAt', after(FORGET_MS)] },
      },
    },
    { $unset: 'before' },
  ];
}

const sumOf = (field: string) => ({ $sum: `$evidence.${field}` });
const IS_DOWN = {
  $and: [
    { $gte: [{ $subtract: [NOW, '$suspectSince'] }, CONFIRM_MS] },
    { $gte: [sumOf('calls'), DOWN_CALLS] },
    { $gte: [sumOf('failed'), { $multiply: [DOWN_SHARE, sumOf('calls')] }] },
  ],
};
const VERDICT: readonly object[] = [
  { $set: { isDown: IS_DOWN } },
  {
    $set: Object.fromEntries(
      Object.entries({
        state: 'down',
        since: NOW,
        failureShare: { $divide: [sumOf('failed'), { $max: [1, sumOf('calls')] }] },
        rate: sumOf('rate'),
        nextProbe: after(probeDelayMs(0)),
        lookAt: after(probeDelayMs(0)),
        failedProbes: 0,
        releasedTo: '',
        rev: { $add: ['$rev', 1] },
        evidence: [],
      }).map(([field, value]) => [field, { $cond: ['$isDown', value, `$${field}`] }]),
    ),
  },
  { $unset: 'isDown' },
];
