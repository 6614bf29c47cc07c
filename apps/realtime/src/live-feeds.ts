import { DeficitRoundRobin, FairSemaphore } from '@weft/concurrency';
import type { PlayMovesRepository } from '@weft/store';
import type { PlayNotices, PlayProgress } from '@weft/realtime-bus';
import { CompanyFeeds } from './company-stream/company-feeds.js';
import type { MissedPlaysDependencies } from './company-stream/missed-plays.js';
import type { GatewayMetrics } from './gateway-metrics.js';
import { ProgressRelay } from './progress/progress-relay.js';
import { PlayFeed } from './play-stream/play-feed.js';
import type { StoredPlays } from './play-stream/stored-plays.js';

/** How often the feeds poll for what notices have missed. */
const POLL_MS = 2_000;
const PROGRESS_TICK_MS = 1_000;
const CONCURRENT_CATCH_UPS = 8;

export interface LiveFeedsDependencies {
  readonly stored: StoredPlays;
  readonly moves: PlayMovesRepository;
  readonly notices: PlayNotices;
  readonly progress: PlayProgress;
  readonly metrics: GatewayMetrics;
  readonly onFault: (error: unknown) => void;
}

/** Brings the journals to the readers of this process, for every kind of socket. */
export class LiveFeeds {
  readonly plays: PlayFeed;
  readonly companies: CompanyFeeds;
  /** For readers that resume with a cursor. */
  readonly catchUp: Omit<MissedPlaysDependencies, 'takesEvents' | 'takesAcceptances'>;
  private readonly progress: ProgressRelay;
  private readonly timers: readonly NodeJS.Timeout[];

  constructor({ stored, moves, notices, progress, metrics, onFault }: LiveFeedsDependencies) {
    this.progress = new ProgressRelay(progress, () => moves.serverNow());
    const scheduler = new DeficitRoundRobin();
    this.plays = new PlayFeed(stored, notices, metrics, scheduler, onFault, this.progress);
    this.companies = new CompanyFeeds(stored, moves, notices, metrics, scheduler, onFault);
    this.catchUp = { journals: stored, moves, semaphore: new FairSemaphore(CONCURRENT_CATCH_UPS) };
    this.timers = [
      setInterval(() => {
        void this.plays.compare();
        void this.companies.poll();
      }, POLL_MS).unref(),
      setInterval(() => this.progress.tick(), PROGRESS_TICK_MS).unref(),
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
