import type { FinalState, PlayJob } from '@weft/contracts';
import type { Play, PlayKey, PlayStore, ProtocolTimes, Unready } from '@weft/engine';
import type { LayerRunner, PreparedVersion } from '@weft/layers';
import type { PlayNotices, PlayProgress } from '@weft/realtime-bus';
import type { LeaseKeeper } from '../lease/lease-keeper.js';
import type { PlayScope } from './play-scope.js';
import type { SuspectLane } from './suspect-lane.js';

/** What one run needs of its process. */
export interface PlayRunDeps {
  readonly store: PlayStore;
  /** Reads a play that was just rung for, patiently: it may not be visible yet, MongoDB may be away. */
  readonly read: (key: PlayKey) => Promise<Play | null>;
  /** Reads again after a refusal, for as long as MongoDB takes. */
  readonly reread: (key: PlayKey) => Promise<Play | null>;
  /** The play's version, ready to run; null when it is gone. @throws UnreadableVersion */
  readonly prepare: (play: Play) => PreparedVersion | Promise<PreparedVersion | null>;
  readonly layers: Pick<LayerRunner, 'run' | 'check' | 'discard'>;
  readonly leases: Pick<LeaseKeeper, 'keep' | 'renew' | 'release'>;
  readonly suspects: Pick<SuspectLane, 'ask' | 'leave' | 'disturb'>;
  readonly notices: Pick<PlayNotices, 'announce'>;
  readonly progress: Pick<PlayProgress, 'tell'>;
  readonly times: ProtocolTimes;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly stopping: () => boolean;
  readonly pause: (ms?: number) => Promise<void>;
  readonly ring: (job: PlayJob, askedAtMs: number) => void;
  readonly onLayer: (appId: string, state: string) => void;
  /** Nobody had begun it. @param waitedMs since it could have been begun */
  readonly onStart: (play: Play, waitedMs: number) => void;
  readonly onFinal: (play: Play, state: FinalState, startedAt: Date) => void;
  readonly onLost: (play: Play, where: string, why: string) => void;
  /** It could not be begun here, and that is on record. */
  readonly onUnready: (play: Play, why: Unready) => void;
  /** Everything from its take to its end goes on in it. */
  readonly scope: PlayScope;
}
