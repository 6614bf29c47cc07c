import { RoundRobinQueue, type DeficitRoundRobin } from '@weft/concurrency';
import { SystemScope, type PlayMovesRepository, type StoredJournal } from '@weft/store';
import type { JournalNotice, PlayNotices } from '@weft/realtime-bus';
import { JournalReader, DEFAULT_PACE } from '../journal-reader.js';
import type { GatewayMetrics } from '../gateway-metrics.js';
import { CompanyFeed } from './company-feed.js';
import {
  asStored,
  KnownJournals,
  KnownRoom,
  missesEnd,
  readKnown,
  type CompanyJournals,
  type KnownJournal,
  type KnownRead,
} from './known-journals.js';
import { EVENT_MARGIN_MS, REMEMBER_MS, STORE_MARGIN_MS } from './margins.js';

const WATCHED = new SystemScope('moves of the companies that admitted readers follow, of many companies in one read');
const COMPANIES_PER_POLL = 200;
/** Polls take at most this share of the time: the more there is to poll, the less often. */
const POLL_TIME_SHARE = 0.1;

interface OpenFeed {
  readonly feed: CompanyFeed;
  /** Resolves when the feed knows where it starts. */
  readonly ready: Promise<void>;
  readonly stop: () => void;
  readonly known: KnownJournals;
  holders: number;
  isReady: boolean;
  /** How many plays are being read. */
  readsInFlight: number;
}

interface JournalRequest extends KnownRead {
  readonly open: OpenFeed;
}

/**
 * Feeds the streams of all companies that have readers on this gateway. A notice that contains its play's journal is delivered
 * at once, or kept until it is the company's turn; if it has no time of the play's end, that is read first. Any other notice
 * makes the play due. Due plays are read in batches, each journal once whatever the number of readers, and for each company
 * only after its last delivery. Notices are hints: a poll of the plays that moved, every two seconds, finds what they missed,
 * also while Redis is unreachable. Nothing is queued for readers: see `CompanyFeed.ring`.
 */
export class CompanyFeeds {
  private readonly feeds = new Map<string, OpenFeed>();
  /** Ids of plays. */
  private readonly due = new RoundRobinQueue<string>();
  private readonly room = new KnownRoom();
  private readonly stopGaps: () => void;
  private readonly reads: JournalReader<JournalRequest>;
  private polling = false;
  private polledAt: number;
  private nextPollAt = 0;

  /** @param onFault called when MongoDB could not be read; the next poll tries again */
  constructor(
    journals: CompanyJournals,
    private readonly moves: Pick<PlayMovesRepository, 'movedSince' | 'serverNow'>,
    private readonly notices: Pick<PlayNotices, 'subscribe' | 'onGap'>,
    metrics: Pick<GatewayMetrics, 'journalsRead'>,
    private readonly scheduler: DeficitRoundRobin,
    private readonly onFault: (error: unknown) => void,
    pace = DEFAULT_PACE,
  ) {
    this.polledAt = moves.serverNow();
    this.stopGaps = notices.onGap((companyIds) => void this.pollCompanies(companyIds));
    const { due } = this;
    const consumer = {
      get due() {
        return due.size;
      },
      take: (limit: number) => this.takeDue(limit),
      deliver: (request: JournalRequest, play: StoredJournal | undefined) => this.deliver(request, play),
      requeue: (batch: readonly JournalRequest[]) => {
        for (const { playId, open } of batch) {
          open.readsInFlight -= 1;
          this.addDue(playId, open);
        }
      },
    };
    const readJournals = (batch: readonly JournalRequest[]) =>
      readKnown(journals, batch, (plays) => metrics.journalsRead(plays));
    this.reads = new JournalReader({ readJournals }, consumer, onFault, pace);
  }

  /**
   * The feed of a company: everything that is stored after the promise resolved will be delivered. Return it with
   * `release`.
   *
   * @throws the error of MongoDB
   */
  async acquire(companyId: string): Promise<CompanyFeed> {
    const open = this.feeds.get(companyId) ?? this.openFeed(companyId);
    open.holders += 1;
    try {
      await open.ready;
      return open.feed;
    } catch (error) {
      this.release(open.feed);
      throw error;
    }
  }

  release(feed: CompanyFeed): void {
    const open = this.feeds.get(feed.companyId);
    if (open?.feed !== feed) return;
    open.holders -= 1;
    if (open.holders > 0) return;
    this.feeds.delete(feed.companyId);
    open.stop();
    open.known.close();
    this.due.deleteCompany(feed.companyId);
  }

  /** Finds the plays that moved without a notice and reads them; also reads what an outage left due. */
  async poll(): Promise<void> {
    const startedAt = performance.now();
    if (this.polling || startedAt < this.nextPollAt) return;
    this.polling = true;
    const at = this.moves.serverNow();
    const since = this.polledAt - STORE_MARGIN_MS;
    if (await this.pollSince([...this.feeds.keys()], since)) this.polledAt = at;
    this.polling = false;
    this.nextPollAt = performance.now() + ((performance.now() - startedAt) * (1 - POLL_TIME_SHARE)) / POLL_TIME_SHARE;
    this.wake();
  }

  close(): void {
    this.stopGaps();
    for (const { stop } of this.feeds.values()) stop();
    for (const companyId of this.feeds.keys()) this.due.deleteCompany(companyId);
    this.feeds.clear();
  }

  private openFeed(companyId: string): OpenFeed {
    const dependencies = { scheduler: this.scheduler, serverNow: () => this.moves.serverNow() };
    const openedAt = dependencies.serverNow();
    const feed = new CompanyFeed(companyId, openedAt, dependencies, () => this.wake());
    const stop = this.notices.subscribe(companyId, (notices) => {
      for (const notice of notices) if (feed.lacks(notice.playId, notice.seq)) this.onNotice(notice, open);
    });
    const ready = this.moves
      .movedSince(WATCHED, [companyId], openedAt - REMEMBER_MS, openedAt - EVENT_MARGIN_MS)
      .then((moved) => {
        feed.startAfter(moved);
        open.isReady = true;
        this.wake();
      });
    const known = new KnownJournals(this.room);
    const open: OpenFeed = { feed, ready, stop, known, holders: 0, isReady: false, readsInFlight: 0 };
    this.feeds.set(companyId, open);
    return open;
  }

  private async pollCompanies(companyIds: readonly string[]): Promise<void> {
    const since = this.polledAt - STORE_MARGIN_MS;
    await this.pollSince(
      companyIds.filter((id) => this.feeds.has(id)),
      since,
    );
  }

  private async pollSince(companyIds: readonly string[], since: number): Promise<boolean> {
    const opens = companyIds.flatMap((id) => this.feeds.get(id) ?? []).filter((open) => open.isReady);
    try {
      for (let i = 0; i < opens.length; i += COMPANIES_PER_POLL) {
        await this.pollBatch(opens.slice(i, i + COMPANIES_PER_POLL), since);
      }
      return true;
    } catch (error) {
      this.onFault(error);
      return false;
    }
  }

  private async pollBatch(opens: readonly OpenFeed[], since: number): Promise<void> {
    const at = this.moves.serverNow();
    const companyIds = opens.map(({ feed }) => feed.companyId);
    const moved = Map.groupBy(await this.moves.movedSince(WATCHED, companyIds, since), (play) => play.company_id);
    for (const open of opens) {
      const ours = moved.get(open.feed.companyId) ?? [];
      for (const { _id, seq } of ours) open.known.dropBefore(_id, seq);
      for (const playId of open.feed.onPolled(at, ours)) this.makeDue(playId, open);
    }
  }

  /** A play whose journal came with the notice need not be read. It waits if its company may not deliver now. */
  private onNotice({ playId, seq, journal }: JournalNotice, open: OpenFeed): void {
    const { feed, known } = open;
    // it is due already, with more than that
    if (known.hasAfter(playId, seq)) return;
    known.take(playId);
    if (journal) {
      const one = { seq, journal };
      if (this.mayRead(feed.companyId)) {
        this.due.delete(feed.companyId, playId);
        if (!deliverKnown(feed, playId, one)) return;
      }
      known.keep(playId, one);
    }
    this.makeDue(playId, open);
  }

  private makeDue(playId: string, open: OpenFeed): void {
    this.addDue(playId, open);
    this.wake();
  }

  private addDue(playId: string, open: OpenFeed): void {
    if (this.isOpen(open)) this.due.add(open.feed.companyId, playId);
  }

  private wake(): void {
    if (this.due.size > 0) this.reads.wake();
  }

  private takeDue(limit: number): JournalRequest[] {
    const batch: JournalRequest[] = [];
    while (batch.length < limit) {
      const due = this.due.shift((companyId) => this.mayRead(companyId));
      const open = due && this.feeds.get(due.companyId);
      if (!open) break;
      const { companyId, item: playId } = due;
      const known = open.known.take(playId);
      if (known && !missesEnd(known.journal)) {
        if (this.deliverKept(open, playId, known)) this.addDue(playId, open);
        continue;
      }
      open.readsInFlight += 1;
      batch.push({ playId, companyId, open, known, layersFrom: known ? 0 : open.feed.layersFrom(playId) });
    }
    return batch;
  }

  /** @returns whether the play has to be read, also because its kept journal could not be delivered */
  private deliverKept({ feed }: OpenFeed, playId: string, known: KnownJournal): boolean {
    try {
      return deliverKnown(feed, playId, known);
    } catch (error) {
      this.onFault(error);
      return true;
    }
  }

  /** The feed knows where it starts, and the last delivery is complete. */
  private mayRead(companyId: string): boolean {
    const open = this.feeds.get(companyId);
    return open !== undefined && open.isReady && open.readsInFlight < open.feed.playsPerRead;
  }

  private deliver({ playId, open, layersFrom }: JournalRequest, play: StoredJournal | undefined): void {
    open.readsInFlight -= 1;
    if (!this.isOpen(open)) return;
    if (!play) open.feed.forget(playId);
    else if (open.feed.deliverJournal(play, layersFrom)) this.addDue(playId, open);
  }

  private isOpen(open: OpenFeed): boolean {
    return this.feeds.get(open.feed.companyId) === open;
  }
}

/** @returns whether the play has to be read */
function deliverKnown(feed: CompanyFeed, playId: string, known: KnownJournal): boolean {
  return feed.deliverJournal(asStored(feed.companyId, playId, known), 0);
}
