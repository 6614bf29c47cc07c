import { RoundRobinQueue, type DeficitRoundRobin } from '@weft/concurrency';
import { CLOSE } from '@weft/contracts';
import type { JournalRead, StoredJournal, UnreadJournal, StoredSeq } from '@weft/store';
import type { PlayNotices } from '@weft/realtime-bus';
import { JournalReader, DEFAULT_PACE } from '../journal-reader.js';
import type { GatewayMetrics } from '../gateway-metrics.js';
import type { ProgressRelay } from '../progress/progress-relay.js';
import type { PlayWatcher } from './play-watcher.js';
import { JournalDelivery, type DeliveryOutcome } from './journal-delivery.js';

/** The stored plays, as far as watchers need them. Deleted plays are missing from the answers. */
export interface PlayJournals {
  readJournals(reads: readonly JournalRead[]): Promise<readonly (StoredJournal | UnreadJournal)[]>;
  readSeqs(plays: readonly Omit<JournalRead, 'layersFrom'>[]): Promise<readonly StoredSeq[]>;
}

const PLAYS_PER_COMPARISON = 500;
/** Limit of a company's plays that are being read or delivered: their journals are in memory. */
const MAX_UNDELIVERED_PLAYS = 32;

interface FeedPlay {
  readonly playId: string;
  readonly companyId: string;
  readonly watchers: Set<PlayWatcher>;
  /** Events that the play had when it was last read. */
  seq: number;
  /** A delivery to its watchers is in progress; the play is not read again until it is complete. */
  isDelivering: boolean;
  /** To be read again after the delivery. */
  isDueAgain: boolean;
}

interface FollowedCompany {
  readonly plays: Set<FeedPlay>;
  readonly stop: () => void;
  /** How many plays are being read or delivered. */
  undelivered: number;
}

interface DuePlay extends JournalRead {
  readonly play: FeedPlay;
  readonly company: FollowedCompany;
}

/**
 * Brings watched plays' journals from MongoDB to their watchers. A notice, a new watcher or one that can take more
 * makes a play due; what becomes due during a read goes into the next read. Notices are hints: `compare`, called every
 * two seconds, finds what they missed (docs/protocol.md §8). Nothing is queued: the journal of a watcher that takes
 * nothing is read again later.
 */
export class PlayFeed {
  private readonly plays = new Map<string, FeedPlay>();
  private readonly due = new RoundRobinQueue<FeedPlay>();
  private readonly companies = new Map<string, FollowedCompany>();
  private readonly stopGaps: () => void;
  private readonly reads: JournalReader<DuePlay>;
  private comparing = false;

  /**
   * @param onFault called when MongoDB could not be read; the feed tries again at the next comparison
   * @param progress is informed of the watched plays and of completed deliveries; it sends the frames without a number
   */
  constructor(
    private readonly journals: PlayJournals,
    private readonly notices: Pick<PlayNotices, 'subscribe' | 'onGap'>,
    private readonly metrics: Pick<GatewayMetrics, 'framesSent' | 'journalsRead'>,
    private readonly scheduler: DeficitRoundRobin,
    private readonly onFault: (error: unknown) => void,
    private readonly progress?: Pick<ProgressRelay, 'follow' | 'onDelivered' | 'unfollow'>,
    pace = DEFAULT_PACE,
  ) {
    this.stopGaps = notices.onGap((companyIds) => void this.compareCompanies(companyIds));
    const { due } = this;
    const consumer = {
      get due() {
        return due.size;
      },
      take: (limit: number) => this.takeDue(limit),
      deliver: (one: DuePlay, found: StoredJournal | undefined) => this.deliver(one, found),
      requeue: (batch: readonly DuePlay[]) => {
        for (const { play, company } of batch) {
          company.undelivered -= 1;
          if (this.plays.get(play.playId) === play) this.queueUnlessDelivering(play);
        }
      },
    };
    const readJournals = async (batch: readonly DuePlay[]) => {
      const found = await journals.readJournals(batch);
      metrics.journalsRead(batch.length);
      return found;
    };
    this.reads = new JournalReader<DuePlay>({ readJournals }, consumer, onFault, pace);
  }

  add(watcher: PlayWatcher): void {
    const { playId, companyId } = watcher.play;
    let play = this.plays.get(playId);
    if (!play) {
      play = { playId, companyId, watchers: new Set(), seq: 0, isDelivering: false, isDueAgain: false };
      this.plays.set(playId, play);
      this.subscribeCompany(play);
      this.progress?.follow(play);
    }
    play.watchers.add(watcher);
    this.makeDue(play);
  }

  delete(watcher: PlayWatcher): void {
    const play = this.plays.get(watcher.play.playId);
    if (!play?.watchers.delete(watcher) || play.watchers.size > 0) return;
    this.plays.delete(play.playId);
    this.due.delete(play.companyId, play);
    this.unsubscribeCompany(play);
    this.progress?.unfollow(play);
  }

  /** The watcher can take frames again. */
  resume(watcher: PlayWatcher): void {
    const play = this.plays.get(watcher.play.playId);
    if (play?.watchers.has(watcher)) this.makeDue(play);
  }

  /**
   * Compares the watched plays with the stored ones, and reads those that moved without a notice; also reads what an
   * outage left due.
   */
  async compare(): Promise<void> {
    if (this.comparing) return; // the last comparison still waits for MongoDB
    this.comparing = true;
    await this.compareCompanies([...this.companies.keys()]);
    this.comparing = false;
    this.wake();
  }

  close(): void {
    this.stopGaps();
    for (const [companyId, company] of this.companies) {
      company.stop();
      this.due.deleteCompany(companyId);
    }
    this.companies.clear();
    this.plays.clear();
  }

  private async compareCompanies(companyIds: readonly string[]): Promise<void> {
    const plays = companyIds.flatMap((id) => [...(this.companies.get(id)?.plays ?? [])]);
    try {
      for (let i = 0; i < plays.length; i += PLAYS_PER_COMPARISON) {
        await this.compareSome(plays.slice(i, i + PLAYS_PER_COMPARISON));
      }
    } catch (error) {
      this.onFault(error);
    }
  }

  private async compareSome(plays: readonly FeedPlay[]): Promise<void> {
    const stored = new Map((await this.journals.readSeqs(plays)).map((play) => [play._id, play.seq]));
    for (const play of plays) {
      const seq = stored.get(play.playId);
      if (seq === undefined) this.closeDeleted(play);
      else if (seq > play.seq) this.makeDue(play);
    }
  }

  private makeDue(play: FeedPlay): void {
    this.queueUnlessDelivering(play);
    this.wake();
  }

  private queueUnlessDelivering(play: FeedPlay): void {
    if (play.isDelivering) play.isDueAgain = true;
    else this.due.add(play.companyId, play);
  }

  private wake(): void {
    if (this.due.size > 0) this.reads.wake();
  }

  private takeDue(limit: number): DuePlay[] {
    const batch: DuePlay[] = [];
    while (batch.length < limit) {
      const due = this.due.shift(
        (companyId) => (this.companies.get(companyId)?.undelivered ?? 0) < MAX_UNDELIVERED_PLAYS,
      );
      const company = due && this.companies.get(due.companyId);
      if (!company) break;
      const { companyId, item: play } = due;
      const starts = [...play.watchers].filter((one) => one.canTake).map((one) => one.layersFrom);
      if (starts.length === 0) continue; // each watcher requests a read when it can take more
      company.undelivered += 1;
      batch.push({ play, company, playId: play.playId, companyId, layersFrom: Math.min(...starts) });
    }
    return batch;
  }

  private deliver({ play, company, layersFrom }: DuePlay, stored: StoredJournal | undefined): void {
    if (!stored) {
      company.undelivered -= 1;
      this.closeDeleted(play);
      return;
    }
    play.seq = Math.max(play.seq, stored.seq);
    play.isDelivering = true;
    const onTold = ({ sent, needsRead }: DeliveryOutcome): void => {
      company.undelivered -= 1;
      play.isDelivering = false;
      this.metrics.framesSent(sent);
      this.progress?.onDelivered(play, stored);
      if ((needsRead || play.isDueAgain) && this.plays.get(play.playId) === play) this.queueUnlessDelivering(play);
      play.isDueAgain = false;
      this.wake();
    };
    new JournalDelivery(stored, layersFrom, play.watchers, onTold).start(this.scheduler);
  }

  private closeDeleted(play: FeedPlay): void {
    for (const watcher of play.watchers) watcher.sink.close(CLOSE.playDeleted, 'the play was deleted');
  }

  private subscribeCompany(play: FeedPlay): void {
    const company = this.companies.get(play.companyId);
    if (company) {
      company.plays.add(play);
      return;
    }
    const stop = this.notices.subscribe(play.companyId, (notices) => {
      for (const { playId, seq } of notices) {
        const watched = this.plays.get(playId);
        if (watched?.companyId === play.companyId && seq > watched.seq) this.makeDue(watched);
      }
    });
    this.companies.set(play.companyId, { plays: new Set([play]), stop, undelivered: 0 });
  }

  private unsubscribeCompany(play: FeedPlay): void {
    const company = this.companies.get(play.companyId);
    if (!company?.plays.delete(play) || company.plays.size > 0) return;
    this.companies.delete(play.companyId);
    company.stop();
  }
}
