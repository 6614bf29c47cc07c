import { CLOSE } from '@weft/contracts';
import type { JournalRead, StoredJournal, StoredSeq } from '@weft/persistence';
import type { PlayNotices } from '@weft/realtime-bus';
import { JournalReads, STEADY } from '../journal-reads.js';
import type { LiveFigures } from '../live-figures.js';
import { CompanyLine } from '../turns/company-line.js';
import type { Rota } from '../turns/rota.js';
import type { ProgressRelay } from '../progress/progress-relay.js';
import type { PlayWatcher } from './play-watcher.js';
import { JournalTelling, type Told } from './journal-telling.js';

/** The stored plays, as far as watchers are told of them. Plays that are gone are not in the answers. */
export interface PlayJournals {
  readJournals(reads: readonly JournalRead[]): Promise<readonly StoredJournal[]>;
  readSeqs(plays: readonly Omit<JournalRead, 'layersFrom'>[]): Promise<readonly StoredSeq[]>;
}

const PLAYS_PER_COMPARISON = 500;
/** Plays of a company that were asked for and are not told yet: what was read of them is in memory. */
const PLAYS_UNTOLD = 32;

interface WatchedPlay {
  readonly playId: string;
  readonly companyId: string;
  readonly watchers: Set<PlayWatcher>;
  /** Events that the play had when it was last read. */
  seq: number;
  /** Its watchers are being told what was read; it is not read again until they have it. */
  isTelling: boolean;
  /** To be read when they have it. */
  isDueAgain: boolean;
}

interface FollowedCompany {
  readonly plays: Set<WatchedPlay>;
  readonly stop: () => void;
  /** How many plays were asked for and are not told yet. */
  untold: number;
}

interface DuePlay extends JournalRead {
  readonly play: WatchedPlay;
  readonly company: FollowedCompany;
}

/**
 * Brings watched plays' journals from MongoDB to their watchers. A notice, a new watcher or one that can take more makes a
 * play due; what is due while a read is under way goes into the next read. Notices are hints: `compare`, called every two
 * seconds, finds what they missed (protocol §8). Nothing is queued: a watcher that takes nothing is read for again later.
 */
export class PlayFeed {
  private readonly plays = new Map<string, WatchedPlay>();
  private readonly due = new CompanyLine<WatchedPlay>();
  private readonly companies = new Map<string, FollowedCompany>();
  private readonly stopGaps: () => void;
  private readonly reads: JournalReads<DuePlay>;
  private comparing = false;

  /**
   * @param onFault told when MongoDB could not be read; the feed tries again at the next comparison
   * @param progress told what is watched and how far its watchers are; sends the frames without a number
   */
  constructor(
    private readonly journals: PlayJournals,
    private readonly notices: Pick<PlayNotices, 'subscribe' | 'onGap'>,
    private readonly figures: Pick<LiveFigures, 'framesSent' | 'journalsRead'>,
    private readonly rota: Rota,
    private readonly onFault: (error: unknown) => void,
    private readonly progress?: Pick<ProgressRelay, 'follow' | 'learn' | 'unfollow'>,
    pace = STEADY,
  ) {
    this.stopGaps = notices.onGap((companyIds) => void this.compareCompanies(companyIds));
    const { due } = this;
    const wants = {
      get due() {
        return due.size;
      },
      take: (limit: number) => this.takeDue(limit),
      deliver: (one: DuePlay, found: StoredJournal | undefined) => this.deliver(one, found),
      giveBack: (batch: readonly DuePlay[]) => {
        for (const { play, company } of batch) {
          company.untold -= 1;
          if (this.plays.get(play.playId) === play) this.addDue(play);
        }
      },
    };
    this.reads = new JournalReads(journals, wants, figures, onFault, pace);
  }

  add(watcher: PlayWatcher): void {
    const { playId, companyId } = watcher.play;
    let play = this.plays.get(playId);
    if (!play) {
      play = { playId, companyId, watchers: new Set(), seq: 0, isTelling: false, isDueAgain: false };
      this.plays.set(playId, play);
      this.follow(play);
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
    this.unfollow(play);
    this.progress?.unfollow(play);
  }

  /** The watcher can take frames again. */
  resume(watcher: PlayWatcher): void {
    const play = this.plays.get(watcher.play.playId);
    if (play?.watchers.has(watcher)) this.makeDue(play);
  }

  /** Looks how far the watched plays are, and reads those that went on unnoticed; besides, what an outage left due. */
  async compare(): Promise<void> {
    if (this.comparing) return; // the last one still waits for MongoDB
    this.comparing = true;
    await this.compareCompanies([...this.companies.keys()]);
    this.comparing = false;
    this.wake();
  }

  close(): void {
    this.stopGaps();
    for (const [companyId, company] of this.companies) {
      company.stop();
      this.due.deleteAll(companyId);
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

  private async compareSome(plays: readonly WatchedPlay[]): Promise<void> {
    const stored = new Map((await this.journals.readSeqs(plays)).map((play) => [play._id, play.seq]));
    for (const play of plays) {
      const seq = stored.get(play.playId);
      if (seq === undefined) this.tellGone(play);
      else if (seq > play.seq) this.makeDue(play);
    }
  }

  private makeDue(play: WatchedPlay): void {
    this.addDue(play);
    this.wake();
  }

  private addDue(play: WatchedPlay): void {
    if (play.isTelling) play.isDueAgain = true;
    else this.due.add(play.companyId, play);
  }

  private wake(): void {
    if (this.due.size > 0) this.reads.wake();
  }

  private takeDue(limit: number): DuePlay[] {
    const batch: DuePlay[] = [];
    while (batch.length < limit) {
      const due = this.due.shift((companyId) => (this.companies.get(companyId)?.untold ?? 0) < PLAYS_UNTOLD);
      const company = due && this.companies.get(due.companyId);
      if (!company) break;
      const { companyId, item: play } = due;
      const starts = [...play.watchers].filter((one) => one.canTake).map((one) => one.layersFrom);
      if (starts.length === 0) continue; // each of them asks again when it can take more
      company.untold += 1;
      batch.push({ play, company, playId: play.playId, companyId, layersFrom: Math.min(...starts) });
    }
    return batch;
  }

  private deliver({ play, company, layersFrom }: DuePlay, stored: StoredJournal | undefined): void {
    if (!stored) {
      company.untold -= 1;
      this.tellGone(play);
      return;
    }
    play.seq = Math.max(play.seq, stored.seq);
    play.isTelling = true;
    const onTold = ({ sent, more }: Told): void => {
      company.untold -= 1;
      play.isTelling = false;
      this.figures.framesSent(sent);
      this.progress?.learn(play, stored);
      if ((more || play.isDueAgain) && this.plays.get(play.playId) === play) this.addDue(play);
      play.isDueAgain = false;
      this.wake();
    };
    new JournalTelling(stored, layersFrom, play.watchers, onTold).begin(this.rota);
  }

  private tellGone(play: WatchedPlay): void {
    for (const watcher of play.watchers) watcher.sink.close(CLOSE.playDeleted, 'the play was deleted');
  }

  private follow(play: WatchedPlay): void {
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
    this.companies.set(play.companyId, { plays: new Set([play]), stop, untold: 0 });
  }

  private unfollow(play: WatchedPlay): void {
    const company = this.companies.get(play.companyId);
    if (!company?.plays.delete(play) || company.plays.size > 0) return;
    this.companies.delete(play.companyId);
    company.stop();
  }
}
