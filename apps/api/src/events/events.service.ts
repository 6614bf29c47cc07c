import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { PlayJob } from '@weft/contracts';
import { COMMAND_ATTEMPTS, decideCommand, positionsWaitingFor, topicsOfEvent, wantsRoom } from '@weft/engine';
import { NEW_ID } from '@weft/host';
import type { NewId } from '@weft/kernel';
import {
  keyOf,
  Mongo,
  MongoPlayStore,
  PayloadStore,
  TenantScope,
  WaitingPlaysRepository,
  type WaitingFilter,
  type WaitingPlay,
} from '@weft/persistence';
import { Doorbell, Places, type TakenUp } from '@weft/queue';
import { PlayNotices, PlaySignals } from '@weft/realtime-bus';
import { AnswerOnItsWay } from '../plays/answer-on-its-way.js';
import { seesOwnOnly } from '../plays/play-rights.js';
import type { EventBody } from './event.requests.js';

const PLAYS_PER_READ = 500;

/**
 * Brings an event to the plays that wait for it now. It is not kept for later ones. Each play takes it by a write of its own,
 * conditional like every other; the store sends many of them in one round trip.
 */
@Injectable()
export class EventsService {
  constructor(
    private readonly mongo: Mongo,
    private readonly waiting: WaitingPlaysRepository,
    private readonly store: MongoPlayStore,
    private readonly doorbell: Doorbell,
    private readonly places: Places,
    private readonly notices: PlayNotices,
    private readonly signals: PlaySignals,
    private readonly payloads: PayloadStore,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** @returns how many plays took it */
  async publish(caller: Principal, { name, key = null, payload = null }: EventBody): Promise<number> {
    const scope = new TenantScope(caller.companyId);
    const waitsFor = topicsOfEvent(name, key);
    // the id tells it from another event of the same millisecond
    const answer = new AnswerOnItsWay(this.payloads, caller.companyId, {
      kind: 'event',
      id: this.newId(),
      payload,
      receivedAt: new Date(this.mongo.serverNow()).toISOString(),
    });
    const filter = { waitsFor, ...(seesOwnOnly(caller, 'POST') && { triggeredBy: caller.userId }) };
    return answer.settledAfter(this.giveAll(scope, filter, answer));
  }

  private async giveAll(scope: TenantScope, filter: WaitingFilter, answer: AnswerOnItsWay): Promise<number> {
    const { waitsFor } = filter;
    let matched = 0;
    for (let after = ''; ;) {
      const plays = await this.waiting.find(scope, filter, after, PLAYS_PER_READ);
      await answer.prepare(plays);
      const askedAtMs = performance.now();
      const room = await this.roomFor(scope, plays, waitsFor);
      const taken = await Promise.all(plays.map((play) => this.give(play, waitsFor, answer, room.ids)));
      const rung = new Set(taken.flatMap(({ job }) => job?.playId ?? []));
      this.places.giveBack(scope.companyId, room, rung);
      matched += taken.filter((one) => one.took).length;
      const jobs = taken.flatMap(({ job }) => (job ? [job] : []));
      if (jobs.length > 0) void this.doorbell.ring(jobs, askedAtMs);
      const last = plays.at(-1);
      if (!last || plays.length < PLAYS_PER_READ) return matched;
      after = last._id;
    }
  }

  /** Places for those that would go on; the others are due, and go on when there is room. */
  private roomFor(scope: TenantScope, plays: readonly WaitingPlay[], topics: readonly string[]): Promise<TakenUp> {
    const at = new Date(this.mongo.serverNow());
    const going = plays.filter((play) => {
      const [position] = positionsWaitingFor(play, topics);
      return position !== undefined && wantsRoom(play, { kind: 'resume', position, payload: null }, at);
    });
    return this.places.take(
      scope.companyId,
      going.map(({ _id }) => _id),
    );
  }

  /** Answers every layer of the play that waits for it; a play that moves meanwhile is read again. */
  private async give(
    read: WaitingPlay,
    topics: readonly string[],
    answer: AnswerOnItsWay,
    room: ReadonlySet<string>,
  ): Promise<{ took: boolean; job?: PlayJob }> {
    let took = false;
    let job: PlayJob | undefined;
    let play: WaitingPlay | null = read;
    for (let attempt = 0; play && attempt < COMMAND_ATTEMPTS; attempt += 1) {
      const [position] = positionsWaitingFor(play, topics);
      if (position === undefined) break;
      if (play !== read) await answer.prepare([play]);
      const form = answer.formFor(play);
      // it has no room: it does not count
      if (!form) break;
      const command = { kind: 'resume', position, payload: form } as const;
      const decision = decideCommand(play, command, new Date(this.mongo.serverNow()), room.has(play._id));
      if (decision.kind !== 'write') break;
      const { write, ring } = decision;
      const key = keyOf(play);
      if (await this.store.write(key, write)) {
        took = true;
        answer.taken(key.playId, form);
        this.notices.announce(key.companyId, key.playId, write.set.seq ?? play.seq);
        this.signals.publish(key.playId);
        if (ring) job = { ...key, epoch: write.set.epoch ?? play.epoch };
        if (positionsWaitingFor(play, topics).length === 1) break;
      }
      play = await this.store.find(key);
    }
    return { took, job };
  }
}
