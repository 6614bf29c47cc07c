import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { PlayJob } from '@weft/contracts';
import { positionsWaitingFor, topicsOfEvent, needsRoom } from '@weft/engine';
import { NEW_ID, type NewId } from '@weft/kernel';
import {
  playKeyOf,
  Mongo,
  MongoPlayStore,
  PayloadStore,
  TenantScope,
  WaitingPlaysRepository,
  type WaitingPlay,
} from '@weft/store';
import { Doorbell, WindowRoom, type TakenRoom } from '@weft/queue';
import { PlayRights, seesOwnOnly } from '../plays/play-rights.js';
import type { EventBody } from './event.requests.js';
import { Applied, PlayCommands } from '@weft/runs';
import { AnswerPayload } from '../plays/answer-payload.js';

const PLAYS_PER_READ = 500;

/**
 * Delivers an event to the plays that wait for it now; it is not kept for later ones. Each play takes it by its own
 * conditional write; the store sends many writes in one round trip.
 */
@Injectable()
export class EventsService {
  constructor(
    private readonly mongo: Mongo,
    private readonly waiting: WaitingPlaysRepository,
    private readonly store: MongoPlayStore,
    private readonly commands: PlayCommands,
    private readonly doorbell: Doorbell,
    private readonly places: WindowRoom,
    private readonly payloads: PayloadStore,
    private readonly rights: PlayRights,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** @returns how many plays took it */
  async publish(caller: Principal, { name, key = null, payload = null }: EventBody): Promise<number> {
    const waitsFor = topicsOfEvent(name, key);
    // the id distinguishes it from another event of the same millisecond
    const answer = new AnswerPayload(this.payloads, caller.companyId, {
      kind: 'event',
      id: this.newId(),
      payload,
      receivedAt: new Date(this.mongo.serverNow()).toISOString(),
    });
    return answer.settledAfter(this.giveAll(caller, waitsFor, answer));
  }

  private async giveAll(caller: Principal, waitsFor: readonly string[], answer: AnswerPayload): Promise<number> {
    const scope = new TenantScope(caller.companyId);
    let matched = 0;
    for (let after = ''; ;) {
      const { plays: found, next } = await this.waiting.find(scope, { waitsFor }, after, PLAYS_PER_READ);
      const plays = seesOwnOnly(caller, 'POST') ? await this.rights.ofFlowsToRun(caller, found) : found;
      await answer.prepare(plays);
      const askedAtMs = performance.now();
      const room = await this.roomFor(scope, plays, waitsFor);
      const taken = await Promise.all(plays.map((play) => this.give(play, waitsFor, answer, room.ids)));
      const rung = new Set(taken.flatMap(({ job }) => job?.playId ?? []));
      this.places.giveBack(scope.companyId, room, rung);
      matched += taken.filter((one) => one.took).length;
      const jobs = taken.flatMap(({ job }) => (job ? [job] : []));
      if (jobs.length > 0) void this.doorbell.ring(jobs, askedAtMs);
      if (next === null) return matched;
      after = next;
    }
  }

  /** Takes places for the plays that would continue; the others become due and continue when there is room. */
  private roomFor(scope: TenantScope, plays: readonly WaitingPlay[], topics: readonly string[]): Promise<TakenRoom> {
    const at = new Date(this.mongo.serverNow());
    const going = plays.filter((play) => {
      const [position] = positionsWaitingFor(play, topics);
      return position !== undefined && needsRoom(play, { kind: 'resume', position, payload: null }, at);
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
    answer: AnswerPayload,
    room: ReadonlySet<string>,
  ): Promise<{ took: boolean; job?: PlayJob }> {
    const key = playKeyOf(read);
    let took = false;
    let job: PlayJob | undefined;
    let known: WaitingPlay | null = read;
    let form: object | null = null;
    for (;;) {
      const applied: Applied<WaitingPlay> = await this.commands.apply<WaitingPlay>({
        room,
        read: async () => {
          const play = known ?? (await this.store.find(key));
          known = null;
          return play;
        },
        order: async (play) => {
          const [position] = play ? positionsWaitingFor(play, topics) : [];
          if (!play || position === undefined) return null;
          if (play !== read) await answer.prepare([play]);
          form = answer.formFor(play);
          return { play, command: { kind: 'resume', position, payload: form } };
        },
      });
      if (applied.kind !== 'written' || !form) return { took, job };
      took = true;
      answer.taken(key.playId, form);
      job = applied.job ?? job;
      if (positionsWaitingFor(applied.play, topics).length === 1) return { took, job };
    }
  }
}
