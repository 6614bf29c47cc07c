import { EVIDENCE_MS, failsAgain, seemsDown } from '@weft/engine';
import type { CallEnd, GatePass } from '@weft/layers';
import { TenantScope } from '@weft/store';
import { type DestinationDocument, type DestinationHealthRepository } from '@weft/records';
import { LRUCache } from 'lru-cache';
import { CallTally } from './call-tally.js';

const MAX_COMPANIES = 1_000;
/** Of one company: one that calls any number of hosts makes this worker forget nothing of others. */
const MAX_TALLIES = 500;
/** Reports of this worker that are under way: a flow whose calls fail at any number of hosts writes no more than that. */
const MAX_REPORTS = 8;
/** Of one company: the rest is for the others. */
const MAX_REPORTS_OF_ONE = MAX_REPORTS / 2;
/** A company that has as many destinations as are recorded: no others of it are reported for so long. */
const FULL_MS = 10_000;
/** A worker reports one destination at most this often. */
const REPORT_EVERY_MS = 1_000;
/** While a destination is down, a worker asks at most this often whether a call may try it. */
const PROBE_EVERY_MS = 1_000;
/** Nobody's service has a longer name; a flow that calls such hosts fills no memory. */
const MAX_ADDRESS_CHARS = 300;

export type DestinationMove = 'down' | 'recovering';

export interface DestinationHealthDeps {
  readonly store: Pick<DestinationHealthRepository, 'report' | 'takeProbe' | 'probeFailed' | 'recover' | 'fallBack'>;
  /** Distinguishes the workers. */
  readonly worker: string;
  readonly monotonicMs: () => number;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** The book of the company is not right any more. */
  readonly changed: (companyId: string) => void;
  readonly onMove: (to: DestinationMove) => void;
  readonly onProbe: (succeeded: boolean) => void;
  /** It could not be stored: the next call that ends tries again. */
  readonly onFault: (error: unknown) => void;
}

interface Watched {
  readonly tally: CallTally;
  reportedAtMs: number;
  isReporting: boolean;
  probedAtMs: number;
  /** Other workers see calls fail: until then this one says what it sees. */
  suspectUntilMs: number;
}

/**
 * Counts how the calls of this worker end, in memory, for each company and destination. It writes only when a destination may be
 * down, at most once a second for each, and when a call has tried a destination that is down.
 */
export class DestinationHealth {
  /** By company and address. */
  private readonly watched = new LRUCache<string, LRUCache<string, Watched>>({ max: MAX_COMPANIES });
  /** Until when, monotonic. */
  private readonly full = new LRUCache<string, number>({ max: MAX_COMPANIES });
  /** Those under way, each with its company. */
  private readonly reports: string[] = [];

  constructor(private readonly deps: DestinationHealthDeps) {}

  /** Of a call that may be made: whoever makes it says how it ended. */
  begin(companyId: string, address: string, known: DestinationDocument | undefined): GatePass | null {
    if (address.length > MAX_ADDRESS_CHARS) return null;
    const watched = this.of(companyId, address);
    const nowMs = this.deps.monotonicMs();
    const phase = watched.tally.enter(phaseOf(known));
    watched.tally.begin(nowMs);
    return { ended: (how) => void this.ended({ companyId, address, known, phase }, watched, how) };
  }

  /**
   * The one call that is let through to a destination that is down; null: it is not this one's turn.
   *
   * @param wasAsked the play waited for it and was set going to try
   */
  probe(
    companyId: string,
    { address, nextProbe }: DestinationDocument,
    wasAsked: boolean,
  ): Promise<GatePass | null> | null {
    const watched = this.of(companyId, address);
    const nowMs = this.deps.monotonicMs();
    if ((nextProbe?.getTime() ?? Infinity) > this.deps.serverNow()) return null;
    // the book does not know of later ones: the store decides
    if (!wasAsked && nowMs - watched.probedAtMs < PROBE_EVERY_MS) return null;
    watched.probedAtMs = nowMs;
    return this.takeProbe(new TenantScope(companyId), address);
  }

  private async takeProbe(scope: TenantScope, address: string): Promise<GatePass | null> {
    const isTaken = await this.deps.store.takeProbe(scope, address).catch((error: unknown) => {
      this.deps.onFault(error);
      return false;
    });
    return isTaken ? { ended: (how) => void this.probed(scope, address, how) } : null;
  }

  private async probed(scope: TenantScope, address: string, how: CallEnd): Promise<void> {
    const { store, changed, onMove, onProbe, onFault } = this.deps;
    try {
      if (how !== null) onProbe(how === 'answered');
      if (how === 'answered') {
        if (await store.recover(scope, address)) onMove('recovering');
        changed(scope.companyId);
      } else await store.probeFailed(scope, address, how === 'failed');
    } catch (error) {
      onFault(error);
    }
  }

  private async ended(call: Call, watched: Watched, how: CallEnd): Promise<void> {
    const { companyId, address, known, phase } = call;
    const { tally } = watched;
    if (how === null || !tally.isIn(phase)) return;
    const nowMs = this.deps.monotonicMs();
    tally.end(nowMs, how === 'failed');
    if (watched.isReporting || nowMs - watched.reportedAtMs < REPORT_EVERY_MS) return;
    const seen = tally.seen(nowMs);
    const scope = new TenantScope(companyId);
    if (known?.state === 'recovering') {
      if (how !== 'failed' || !failsAgain(seen)) return;
      await this.write(watched, companyId, async () => {
        if (await this.deps.store.fallBack(scope, address)) this.deps.onMove('down');
        return true;
      });
    } else if ((known?.state ?? 'up') === 'up' && (seemsDown(seen) || this.isSuspected(watched, known))) {
      if (!known && (this.full.get(companyId) ?? 0) > nowMs) return;
      await this.write(watched, companyId, async () => {
        const { store, worker, onMove } = this.deps;
        const found = await store.report(scope, address, worker, { ...seen, rate: tally.rate(nowMs) });
        if (found === null) this.full.set(companyId, nowMs + FULL_MS);
        if (found?.wentDown) onMove('down');
        if (found?.now.evidence?.some(seemsDown)) watched.suspectUntilMs = nowMs + EVIDENCE_MS;
        return found !== null && found.now.state !== 'up';
      });
    }
  }

  /** @param write whether the book is not right any more */
  private async write(watched: Watched, companyId: string, write: () => Promise<boolean>): Promise<void> {
    const ofOne = this.reports.filter((each) => each === companyId).length;
    if (this.reports.length >= MAX_REPORTS || ofOne >= MAX_REPORTS_OF_ONE) return;
    this.reports.push(companyId);
    watched.isReporting = true;
    watched.reportedAtMs = this.deps.monotonicMs();
    try {
      if (await write()) this.deps.changed(companyId);
    } catch (error) {
      this.deps.onFault(error);
    } finally {
      watched.isReporting = false;
      this.reports.splice(this.reports.indexOf(companyId), 1);
    }
  }

  /** Another worker sees calls that fail: this one says what it sees. */
  private isSuspected(watched: Watched, known: DestinationDocument | undefined): boolean {
    if (watched.suspectUntilMs > this.deps.monotonicMs()) return true;
    if (!known?.evidence) return false;
    const newest = Math.max(0, ...known.evidence.map(({ at }) => at.getTime()));
    return newest > this.deps.serverNow() - EVIDENCE_MS;
  }

  private of(companyId: string, address: string): Watched {
    let ofCompany = this.watched.get(companyId);
    if (!ofCompany) this.watched.set(companyId, (ofCompany = new LRUCache({ max: MAX_TALLIES })));
    let watched = ofCompany.get(address);
    if (!watched) {
      const never = Number.NEGATIVE_INFINITY;
      const times = { reportedAtMs: never, probedAtMs: never, suspectUntilMs: never };
      watched = { tally: new CallTally(), isReporting: false, ...times };
      ofCompany.set(address, watched);
    }
    return watched;
  }
}

interface Call {
  readonly companyId: string;
  readonly address: string;
  readonly known: DestinationDocument | undefined;
  readonly phase: number;
}

/** While it is just up, every time is one phase; each outage and each recovery is another. */
function phaseOf(known: DestinationDocument | undefined): string {
  return known && known.state !== 'up' ? `${known.state} ${known.since.getTime()}` : 'up';
}
