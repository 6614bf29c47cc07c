import { FlowCache, ParentTeller, PlayAcceptance, type PlayAcceptanceParts } from '@weft/acceptance';
import type { PlayState } from '@weft/contracts';
import type { Play } from '@weft/engine';
import type { Clock } from '@weft/kernel';
import type { PlaysSource } from '@weft/layers';
import { warnRarely } from '@weft/observability';
import {
  ChildPlaysRepository,
  EndedPlaysRepository,
  FlowRepository,
  FlowVersionRepository,
  PayloadStore,
  SystemScope,
  type ProcessCache,
} from '@weft/persistence';
import type { InvalidationBus, PlaySignals } from '@weft/realtime-bus';
import { childPlays } from './child-plays.js';

export interface ChildPlaysDeps extends Omit<PlayAcceptanceParts, 'flows'> {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly invalidations: Pick<InvalidationBus, 'on'>;
  readonly signals: PlaySignals;
  readonly cache: ProcessCache;
  readonly closing: () => boolean;
}

/** What a worker has for plays that start others, and for those that were started. */
export class ChildPlays {
  readonly source: PlaysSource;
  private readonly flows: FlowCache;
  private readonly acceptance: PlayAcceptance;
  private readonly teller: ParentTeller;
  private readonly onUntold: (error: unknown) => void;
  private readonly scope = new SystemScope('a worker runs the plays of all companies, and those that they start');

  constructor(private readonly deps: ChildPlaysDeps) {
    const { mongo, clock, invalidations, cache, closing } = deps;
    const { scope } = this;
    const children = new ChildPlaysRepository(mongo);
    this.flows = new FlowCache(new FlowRepository(mongo), clock, invalidations, cache);
    this.acceptance = new PlayAcceptance({ ...deps, flows: this.flows });
    this.teller = new ParentTeller({ ...deps, children, scope, places: this.acceptance.places });
    this.onUntold = warnRarely(deps.log, 'worker', 'could not notify parents of the ends of plays: the scheduler will');
    const payloads = new PayloadStore(mongo);
    const endings = new EndedPlaysRepository(mongo, scope);
    this.source = childPlays({
      ...{ flows: this.flows, acceptance: this.acceptance },
      ...{ children, endings, payloads, closing },
      versions: new FlowVersionRepository(mongo),
      serverNow: () => mongo.serverNow(),
    });
  }

  /** Beside everything else; should it fail, the scheduler tells the parent. */
  onFinal({ _id, company_id, flowId, parentPlayId, parent, untold }: Play, state: PlayState): void {
    if (!untold) return;
    this.teller.tell({ _id, company_id, flowId, parentPlayId, parent, state }).catch(this.onUntold);
  }

  /** Resolves when the plays that were started are rung for. */
  async close(): Promise<void> {
    await this.acceptance.settled();
    this.flows.close();
  }
}
