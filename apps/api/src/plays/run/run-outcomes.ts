import type { Drainable } from '@weft/kernel';
import { Injectable } from '@nestjs/common';
import { isFinal } from '@weft/contracts';
import type { Play } from '@weft/engine';
import { EndedPlaysRepository, Mongo, PayloadStore, SystemScope } from '@weft/store';
import { PlayNotices } from '@weft/realtime-bus';
import { PlayEnds } from './play-ends.js';
import { endedRunAnswer, type EndedRunAnswer } from './run-answer.js';
import type { Accepted } from './run.service.js';

/** Calls that may wait at once; each holds a connection and some memory for up to 30 s. The next one is answered 202 at once. */
const MAX_WAITING = 10_000;
const MAX_WAITING_OF_COMPANY = 2_500;
const LOOK_EVERY_MS = 500;

interface AwaitedPlay extends Pick<Accepted, 'replayed'> {
  readonly play: Pick<Play, '_id' | 'company_id' | 'state'>;
}

/** Waits for the ends of runs that were requested with `wait`. */
@Injectable()
export class RunOutcomes implements Drainable {
  private readonly plays: EndedPlaysRepository;
  private readonly ends: PlayEnds;

  constructor(
    mongo: Mongo,
    notices: PlayNotices,
    private readonly payloads: PayloadStore,
  ) {
    this.plays = new EndedPlaysRepository(mongo, new SystemScope('answers runs of all companies that wait'));
    this.ends = new PlayEnds({
      endedAmong: (ids) => this.plays.endedAmong(ids),
      notices,
      maxWaiting: MAX_WAITING,
      maxOfCompany: MAX_WAITING_OF_COMPANY,
      lookEveryMs: LOOK_EVERY_MS,
    });
  }

  /** How the play ended; null when it did not end in time, or the client disconnected. */
  async within({ play, replayed }: AwaitedPlay, waitMs: number, gone: AbortSignal): Promise<EndedRunAnswer | null> {
    const ended = isFinal(play.state)
      ? (await this.plays.endedAmong([play._id]))[0]
      : await this.ends.wait({ companyId: play.company_id, playId: play._id, fresh: !replayed }, waitMs, gone);
    return ended ? endedRunAnswer(ended, (scope, ref) => this.payloads.output(scope, ref)) : null;
  }

  drain(): Promise<void> {
    this.ends.close();
    return Promise.resolve();
  }
}
