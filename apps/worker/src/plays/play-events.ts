import { Inject, Injectable } from '@nestjs/common';
import type { FinalState, PlayJob } from '@weft/contracts';
import type { LayerResult, Play, UnreadyReason } from '@weft/engine';
import { LOG, Metrics, Tracing } from '@weft/observability';
import { Mongo } from '@weft/store';
import { Doorbell } from '@weft/queue';
import { PlayNotices, PlayProgress } from '@weft/realtime-bus';
import { PlayChanges, PlayStats } from '@weft/runs';
import type { Logger } from 'pino';
import { LayerStats } from '../layers/layer-stats.js';
import { playLogFields } from './play-log-fields.js';
import { playScope, type PlayScope } from './play-scope.js';

const NOT_BEGUN = 'a play could not be begun: this worker has no version of its flow that it can run';

/** What happens to plays in this worker, for everyone who is notified of it: gateways, metrics, logs, parents, queues. */
@Injectable()
export class PlayEvents {
  /** Everything from a play's take to its end goes on in it. */
  readonly scope: PlayScope;

  constructor(
    @Inject(LOG) private readonly log: Logger,
    private readonly mongo: Mongo,
    private readonly metrics: Metrics,
    tracing: Tracing,
    private readonly stats: PlayStats,
    private readonly layerStats: LayerStats,
    private readonly changes: PlayChanges,
    private readonly notices: PlayNotices,
    private readonly progress: PlayProgress,
    private readonly doorbell: Doorbell,
  ) {
    this.scope = playScope(tracing);
  }

  /** A write is stored, which added to the play's journal. */
  announce(...notice: Parameters<PlayNotices['announce']>): void {
    this.notices.announce(...notice);
  }

  /** Whether somebody follows the plays of this company. A hint. */
  isWatched(companyId: string): boolean {
    return this.notices.isHeard(companyId);
  }

  /** A layer says how far it is. */
  publish(...progress: Parameters<PlayProgress['publish']>): void {
    this.progress.publish(...progress);
  }

  /** A layer says something, if somebody listens. */
  say(...said: Parameters<PlayProgress['say']>): boolean {
    return this.progress.say(...said);
  }

  layerEnded(appId: string, state: string): void {
    this.metrics.layerExecuted(appId, state);
  }

  /** Results of layers are known, and will be stored. */
  layersRecorded(play: Play, results: readonly LayerResult[]): void {
    this.layerStats.ended(play, results);
  }

  /** No worker had started it before. @param waitedMs since it could have been started */
  started(play: Play, waitedMs: number): void {
    this.stats.started(play, waitedMs);
  }

  ended(play: Play, state: FinalState, startedAt: Date): void {
    this.changes.ended(play, state, startedAt);
    if (!this.log.isLevelEnabled('debug')) return;
    const duration_ms = Math.max(0, Math.round(this.mongo.serverNow() - startedAt.getTime()));
    this.log.debug({ component: 'worker', ...playLogFields(play), state, duration_ms }, 'a play ended');
  }

  /** A write has left these layers waiting for plays that they have started. */
  waitsForPlays(...left: Parameters<PlayChanges['waitsForPlays']>): void {
    this.changes.waitsForPlays(...left);
  }

  /** A write has left layers of the play waiting for events. */
  waitsForEvents(...left: Parameters<PlayChanges['waitsForEvents']>): void {
    this.changes.waitsForEvents(...left);
  }

  /** Another process has it now. @param where the operation that showed it */
  lost(play: Play, where: string, why: string): void {
    this.metrics.ownershipLost(where === 'renew' ? 'lease' : 'write');
    this.log.info({ component: 'worker', ...playLogFields(play), where, why }, 'another one has the play now');
  }

  /** It could not be started here, and that is stored. */
  unready(play: Play, why: UnreadyReason): void {
    this.log.warn({ component: 'worker', ...playLogFields(play), why }, NOT_BEGUN);
  }

  /** It is handed back: whatever worker is free takes it. @param askedAtMs monotonic time of the write */
  handedBack(job: PlayJob, askedAtMs: number): void {
    void this.doorbell.ring([job], askedAtMs);
  }
}
