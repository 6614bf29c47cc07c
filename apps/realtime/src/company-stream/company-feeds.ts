import { SystemScope, type JournalRead, type PlayMovesRepository, type StoredJournal } from '@weft/persistence';
import type { JournalNotice, PlayNotices } from '@weft/realtime-bus';
import { JournalReads, STEADY } from '../journal-reads.js';
import type { LiveFigures } from '../live-figures.js';
import { CompanyLine } from '../turns/company-line.js';
import type { Rota } from '../turns/rota.js';
import { CompanyFeed } from './company-feed.js';
import { EVENT_MARGIN_MS, REMEMBER_MS, STORE_MARGIN_MS } from './margins.js';

export interface CompanyJournals {
  readJournals(reads: readonly JournalRead[]): Promise<readonly StoredJournal[]>;
}

const WATCHED = new SystemScope('moves of the companies that admitted readers follow, of many companies in one read');
const COMPANIES_PER_LOOK = 200;
/** Looks take at most this share of the time: with very much to look at they come less often. */
const LOOK_SHARE = 0.1;

interface OpenFeed {
  readonly feed: CompanyFeed;
  /** Resolves when the feed knows where it begins. */
  readonly ready: Promise<void>;
  readonly stop: () => void;
  holders: number;
  isReady: boolean;
  /** Plays that are being read. */
  reading: number;
}

interface Want extends JournalRead {
  readonly open: OpenFeed;
}

/**
 * Feeds the streams of all companies that have readers here. A notice that brings its play's journal is told at once; any
 * other makes the play due. What is due is read in batches, each journal once whatever the number of readers, and of no
 * company more than its readers have been told. Notices are hints: a look at what moved, every two seconds, finds what they
 * missed, also while Redis is away. Nothing is queued for readers: see `CompanyFeed.ring`.
 */
export class CompanyFeeds {
  private readonly open = new Map<string, OpenFeed>();
  /** Ids of plays. */
  private readonly due = new CompanyLine<string>();
  private readonly stopGaps: () => void;
  private readonly reads: JournalReads<Want>;
  private looking = false;
  private lookedAt: number;
  private restUntil = 0;

  /** @param onFault told when MongoDB could not be read; the next look tries again */
  constructor(
    journals: CompanyJournals,
    private readonly moves: Pick<PlayMovesRepository, 'movedSince' | 'serverNow'>,
    private readonly notices: Pick<PlayNotices, 'subscribe' | 'onGap'>,
    figures: Pick<LiveFigures, 'journalsRead'>,
    private readonly rota: Rota,
    private readonly onFault: (error: unknown) => void,
    pace = STEADY,
  ) {
    this.lookedAt = moves.serverNow();
    this.stopGaps = notices.onGap((companyIds) => void this.lookAt(companyIds));
    const { due } = this;
    const wants = {
      get due() {
        return due.size;
      },
      take: (limit: number) => this.takeDue(limit),
      deliver: (want: Want, play: StoredJournal | undefined) => this.deliver(want, play),
      giveBack: (batch: readonly Want[]) => {
        for (const { playId, open } of batch) {
          open.reading -= 1;
          this.addDue(playId, open);
        }
      },
    };
    this.reads = new JournalReads(journals, wants, figures, onFault, pace);
  }

  /**
   * The feed of a company, from now on: what is stored after this resolved will be told. Give it back with `release`.
   *
   * @throws what kept MongoDB from answering
   */
  async acquire(companyId: string): Promise<CompanyFeed> {
    const open = this.open.get(companyId) ?? this.begin(companyId);
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
    const open = this.open.get(feed.companyId);
    if (open?.feed !== feed) return;
    open.holders -= 1;
    if (open.holders > 0) return;
    this.open.delete(feed.companyId);
    open.stop();
    this.due.deleteAll(feed.companyId);
  }

  /** Looks what moved, and reads what went on unnoticed; besides, what an outage left due. */
  async look(): Promise<void> {
    const startedAt = performance.now();
    if (this.looking || startedAt < this.restUntil) return;
    this.looking = true;
    const at = this.moves.serverNow();
    const since = this.lookedAt - STORE_MARGIN_MS;
    if (await this.lookSince([...this.open.keys()], since)) this.lookedAt = at;
    this.looking = false;
    this.restUntil = performance.now() + ((performance.now() - startedAt) * (1 - LOOK_SHARE)) / LOOK_SHARE;
    this.wake();
  }

  close(): void {
    this.stopGaps();
    for (const { stop } of this.open.values()) stop();
    for (const companyId of this.open.keys()) this.due.deleteAll(companyId);
    this.open.clear();
  }

  private begin(companyId: string): OpenFeed {
    const parts = { rota: this.rota, serverNow: () => this.moves.serverNow() };
    const openedAt = parts.serverNow();
    const feed = new CompanyFeed(companyId, openedAt, parts, () => this.wake());
    const stop = this.notices.subscribe(companyId, (notices) => {
      for (const notice of notices) if (feed.isBehind(notice.playId, notice.seq)) this.noticed(notice, open);
    });
    const ready = this.moves
      .movedSince(WATCHED, [companyId], openedAt - REMEMBER_MS, openedAt - EVENT_MARGIN_MS)
      .then((moved) => {
        feed.begin(moved);
        open.isReady = true;
        this.wake();
      });
    const open: OpenFeed = { feed, ready, stop, holders: 0, isReady: false, reading: 0 };
    this.open.set(companyId, open);
    return open;
  }

  private async lookAt(companyIds: readonly string[]): Promise<void> {
    const since = this.lookedAt - STORE_MARGIN_MS;
    await this.lookSince(
      companyIds.filter((id) => this.open.has(id)),
      since,
    );
  }

  private async lookSince(companyIds: readonly string[], since: number): Promise<boolean> {
    const opens = companyIds.flatMap((id) => this.open.get(id) ?? []).filter((open) => open.isReady);
    try {
      for (let i = 0; i < opens.length; i += COMPANIES_PER_LOOK) {
        await this.lookAtSome(opens.slice(i, i + COMPANIES_PER_LOOK), since);
      }
      return true;
    } catch (error) {
      this.onFault(error);
      return false;
    }
  }

  private async lookAtSome(opens: readonly OpenFeed[], since: number): Promise<void> {
    const at = this.moves.serverNow();
    const companyIds = opens.map(({ feed }) => feed.companyId);
    const moved = Map.groupBy(await this.moves.movedSince(WATCHED, companyIds, since), (play) => play.company_id);
    for (const open of opens) {
      for (const playId of open.feed.looked(at, moved.get(open.feed.companyId) ?? [])) this.makeDue(playId, open);
    }
  }

  /** What was told with the notice need not be read, unless it was not the company's turn now. */
  private noticed({ playId, seq, journal }: JournalNotice, open: OpenFeed): void {
    const { feed } = open;
    if (!journal || !feed.takesNotices || !this.mayRead(feed.companyId)) {
      this.makeDue(playId, open);
      return;
    }
    this.due.delete(feed.companyId, playId);
    if (feed.noticed(playId, seq, journal)) this.makeDue(playId, open);
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

  private takeDue(limit: number): Want[] {
    const batch: Want[] = [];
    while (batch.length < limit) {
      const due = this.due.shift((companyId) => this.mayRead(companyId));
      const open = due && this.open.get(due.companyId);
      if (!open) break;
      open.reading += 1;
      const { companyId, item: playId } = due;
      batch.push({ playId, companyId, open, layersFrom: open.feed.layersFrom(playId) });
    }
    return batch;
  }

  /** It is known where it begins, and its readers were told what was read before. */
  private mayRead(companyId: string): boolean {
    const open = this.open.get(companyId);
    return open !== undefined && open.isReady && open.reading < open.feed.readsAtOnce;
  }

  private deliver({ playId, open, layersFrom }: Want, play: StoredJournal | undefined): void {
    open.reading -= 1;
    if (!this.isOpen(open)) return;
    if (!play) open.feed.forget(playId);
    else if (open.feed.deliver(play, layersFrom)) this.addDue(playId, open);
  }

  private isOpen(open: OpenFeed): boolean {
    return this.open.get(open.feed.companyId) === open;
  }
}
