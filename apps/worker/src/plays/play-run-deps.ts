import type { PlayStore, ProtocolTimes } from '@weft/engine';
import type { BytesSemaphore } from '@weft/concurrency';
import type { LayerRunner } from '@weft/layers';
import type { LeaseKeeper } from '../lease/lease-keeper.js';
import type { PlayEvents } from './play-events.js';
import type { PlaySource } from './play-source.js';
import type { SuspectLane } from './suspect-lane.js';

/** What the execution of one play needs from its process. */
export interface PlayRunDeps {
  readonly store: PlayStore;
  readonly source: Pick<PlaySource, 'find' | 'prepare'>;
  readonly layers: Pick<LayerRunner, 'run' | 'check' | 'discard'>;
  readonly leases: Pick<LeaseKeeper, 'keep' | 'renew' | 'release'>;
  readonly suspects: Pick<SuspectLane, 'requestTurn' | 'endTurn' | 'cancelRequest'>;
  readonly events: Pick<PlayEvents, keyof PlayEvents>;
  /** For large plays. */
  readonly memory: Pick<BytesSemaphore, 'acquire'>;
  readonly times: ProtocolTimes;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly isStopping: () => boolean;
  /** Whether the company has workers with another label, as was stored at most a second ago; true where nobody can say. */
  readonly isOfOthers: (companyId: string) => boolean | Promise<boolean>;
  readonly pause: (ms?: number) => Promise<void>;
}
