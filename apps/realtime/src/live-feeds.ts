import type { PlayMovesRepository } from '@weft/persistence';
import type { PlayNotices, PlayProgress } from '@weft/realtime-bus';
import { CompanyFeeds } from './company-stream/company-feeds.js';
import type { MissedSources } from './company-stream/missed-plays.js';
import type { LiveFigures } from './live-figures.js';
import { ProgressRelay } from './progress/progress-relay.js';
import { PlayFeed } from './play-stream/play-feed.js';
import type { StoredPlays } from './play-stream/stored-plays.js';
import { Rota } from './turns/rota.js';
import { Turns } from './turns/turns.js';

/** How often the feeds look for what notices have missed. */
const LOOK_MS = 2_000;
const PROGRESS_MS = 1_000;
const CATCHING_UP_AT_ONCE = 8;

export interface FeedSources {
  readonly stored: StoredPlays;
  readonly moves: PlayMovesRepository;
  readonly notices: PlayNotices;
  readonly progress: PlayProgress;
  readonly figures: LiveFigures;
  readonly onFault: (error: unknown) => void;
}

/** What brings the journals to the readers of this process, whatever kind of socket they have. */
export class LiveFeeds {
  readonly plays: PlayFeed;
  readonly companies: CompanyFeeds;
  /** For readers who were away. */
  readonly missed: Omit<MissedSources, 'takesEvents'>;
  private readonly progress: ProgressRelay;
  private readonly timers: readonly NodeJS.Timeout[];

  constructor({ stored, moves, notices, progress, figures, onFault }: FeedSources) {
    this.progress = new ProgressRelay(progress, () => moves.serverNow());
    const rota = new Rota();
    this.plays = new PlayFeed(stored, notices, figures, rota, onFault, this.progress);
    this.companies = new CompanyFeeds(stored, moves, notices, figures, rota, onFault);
    this.missed = { journals: stored, moves, turns: new Turns(CATCHING_UP_AT_ONCE) };
    this.timers = [
      setInterval(() => {
        void this.plays.compare();
        void this.companies.look();
      }, LOOK_MS).unref(),
      setInterval(() => this.progress.tick(), PROGRESS_MS).unref(),
    ];
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  close(): void {
    this.plays.close();
    this.companies.close();
    this.progress.close();
  }
}
