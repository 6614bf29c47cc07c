import {
  needsRoom,
  positionsWaitingFor,
  topicsOfEvent,
  type LayerWait,
  type PlayKey,
  type PlayStore,
} from '@weft/engine';
import { parseStoredJson, WeftError, writeJson } from '@weft/kernel';
import type { PlayJob } from '@weft/contracts';
import {
  playKeyOf,
  SystemScope,
  TenantScope,
  type Mongo,
  type PayloadStore,
  type WaitingPlay,
  type WaitingPlaysRepository,
} from '@weft/store';
import type { AwaitedEvent, EventPlace, KeptEventDocument, KeptEventsRepository, OpenEvent } from '@weft/records';
import type { Doorbell, TakenRoom, WindowRoom } from '@weft/queue';
import { AnswerPayload } from './answer-payload.js';
import type { Applied, PlayCommands } from './play-commands.js';
import type { ScheduledRunAuthorizer } from './scheduled-run-authorizer.js';

type Plays = readonly WaitingPlay[];

export interface SentEvent {
  readonly companyId: string;
  readonly name: string;
  readonly key: string | null;
  readonly payload: unknown;
  /** Those of the plays that it may reach now. */
  readonly reaches: (plays: Plays) => Promise<Plays>;
  /** For a play that begins to wait within that time; left out: it is for those that wait now. */
  readonly keep?: {
    readonly ttlMs: number;
    /** By this user's rights it reaches plays later. */
    readonly sentBy: string;
    /** It is sent again with the same id: a second time it reaches those alone that waited the first time. */
    readonly id?: string;
  };
}

export interface DeliveredEvent {
  /** Plays that took it. */
  readonly matched: number;
  /** It is kept, and no play has taken it. */
  readonly kept: boolean;
  /** It was sent before, and a play has taken it: `matched` are those that waited then and did not have it. */
  readonly replayed: boolean;
}

export interface EventDeliveryDeps {
  readonly mongo: Pick<Mongo, 'serverNow'>;
  readonly waiting: Pick<WaitingPlaysRepository, 'find' | 'one'>;
  readonly kept: Pick<KeptEventsRepository, 'sizeOf' | 'insert' | 'find' | 'openFor' | 'openOfAll' | 'take'>;
  readonly store: Pick<PlayStore, 'find'>;
  readonly commands: Pick<PlayCommands, 'apply'>;
  readonly doorbell: Pick<Doorbell, 'ring'>;
  readonly windowRoom: Pick<WindowRoom, 'take' | 'giveBack'>;
  readonly payloads: PayloadStore;
  readonly authorizer: Pick<ScheduledRunAuthorizer, 'mayExecute'>;
  readonly newId: () => string;
}

const PLAYS_PER_READ = 500;
/** With their payloads: most plays take the first one. */
const EVENTS_PER_READ = 10;
/** Plays of a company that one pass looks at: the next one goes on. */
const MOST_LOOKS = 1_000;
/** What of a company is kept. */
const MOST_KEPT = { count: 10_000, bytes: 64 * 1024 * 1024 };
const ALL_COMPANIES = new SystemScope('kept events of all companies are given to plays that wait for them');

/** A kept event: the play that waited first takes it in one transaction with its answer. */
class Kept {
  isOpen = true;

  constructor(readonly event: OpenEvent) {}
}

/**
 * Gives events to plays that wait for them. An event that is kept is stored before its sender looks for plays, and a worker looks for
 * events after its play waits: one of the two finds the other. Should both crash, a scheduler does (ADR 126).
 */
export class EventDelivery {
  constructor(private readonly deps: EventDeliveryDeps) {}

  /** @throws WeftError `kept_events_full` */
  async send(event: SentEvent): Promise<DeliveredEvent> {
    const { companyId, name, key, keep } = event;
    const scope = new TenantScope(companyId);
    const receivedAt = new Date(this.deps.mongo.serverNow());
    const stored = keep ? await this.store(scope, event, keep, receivedAt) : null;
    const isRepeated = stored !== null && !stored.open;
    const kept = stored?.open ? new Kept(stored as OpenEvent) : null;
    const answer = this.answerOf(
      companyId,
      stored?._id ?? this.deps.newId(),
      kept ? parseStoredJson(kept.event.payload) : event.payload,
      stored?.received_at ?? receivedAt,
    );
    const topics = topicsOfEvent(name, key);
    // its first sender may have crashed before all that waited at that time had it
    const giving = { topics, answer, kept, ...(isRepeated && { waitedAt: stored.received_at }) };
    const matched = await answer.settledAfter(this.giveAll(scope, giving, event.reaches));
    if (!kept || matched > 0) return { matched, kept: false, replayed: isRepeated };
    // a worker whose play began to wait meanwhile may have given it
    const isTaken = !kept.isOpen || !(await this.deps.kept.find(scope, kept.event._id))?.open;
    return { matched: isTaken ? 1 : 0, kept: !isTaken, replayed: false };
  }

  /** Gives a play that waits what is kept for it. For workers, after the write by which it waits, and for schedulers. */
  async look({ companyId, playId }: Pick<PlayKey, 'companyId' | 'playId'>): Promise<void> {
    const scope = new TenantScope(companyId);
    const refused = new Set<string>();
    let after: EventPlace | null = null;
    for (;;) {
      const play: WaitingPlay | null = await this.deps.waiting.one(scope, playId);
      const awaited = play ? awaitedBy(play) : [];
      if (!play || awaited.length === 0) return;
      const now = new Date(this.deps.mongo.serverNow());
      const found = { awaited, now, after, notSentBy: [...refused] };
      const events = await this.deps.kept.openFor(scope, found, EVENTS_PER_READ);
      let isTaken = false;
      for (const event of events) {
        after = event;
        if (refused.has(event.sent_by)) continue;
        const { sent_by: userId } = event;
        if (!(await this.deps.authorizer.mayExecute({ companyId, userId, flowId: play.flowId }))) refused.add(userId);
        // the play waits for less now, or has moved
        else if ((isTaken = await this.offer(play, event))) break;
      }
      if (!isTaken && events.length < EVENTS_PER_READ) return;
    }
  }

  /** For schedulers: gives what is kept to plays that wait for it. */
  async repair(signal: AbortSignal): Promise<void> {
    const looked = new Map<string, number>();
    let after: EventPlace | null = null;
    while (!signal.aborted) {
      const now = new Date(this.deps.mongo.serverNow());
      const events: KeptEventDocument[] = await this.deps.kept.openOfAll(ALL_COMPANIES, now, after, PLAYS_PER_READ);
      for (const [companyId, ofCompany] of Map.groupBy(events, ({ company_id }) => company_id)) {
        const scope = new TenantScope(companyId);
        const waitsFor = [...new Set(ofCompany.flatMap(({ name, key }) => topicsOfEvent(name, key)))];
        const { plays } = await this.deps.waiting.find(scope, { waitsFor }, '', PLAYS_PER_READ);
        for (const play of plays) {
          const looks = (looked.get(companyId) ?? 0) + 1;
          if (looks > MOST_LOOKS || signal.aborted) break;
          looked.set(companyId, looks);
          if (awaitedBy(play).length > 0) await this.look(playKeyOf(play));
        }
      }
      if (events.length < PLAYS_PER_READ) return;
      after = events.at(-1) ?? null;
    }
  }

  /** What the user may reach: plays of flows that the user may execute, whoever started them. */
  reachOf(companyId: string, userId: string): SentEvent['reaches'] {
    return async (plays) => {
      const flowIds = [...new Set(plays.map(({ flowId }) => flowId))];
      const judged = await Promise.all(
        flowIds.map((flowId) => this.deps.authorizer.mayExecute({ companyId, userId, flowId })),
      );
      const may = new Set(flowIds.filter((_id, i) => judged[i]));
      return plays.filter(({ flowId }) => may.has(flowId));
    };
  }

  private answerOf(companyId: string, id: string, payload: unknown, receivedAt: Date): AnswerPayload {
    // the id distinguishes it from another event of the same millisecond
    const answer = { kind: 'event', id, payload, receivedAt: receivedAt.toISOString() };
    return new AnswerPayload(this.deps.payloads, companyId, answer);
  }

  /** The event as it is stored: what came first, if it was sent before. */
  private async store(
    scope: TenantScope,
    { name, key, payload }: SentEvent,
    { ttlMs, sentBy, id }: NonNullable<SentEvent['keep']>,
    now: Date,
  ): Promise<KeptEventDocument> {
    const { kept, newId } = this.deps;
    const known = id === undefined ? null : await kept.find(scope, id);
    if (known) return known;
    const { json = 'null' } = writeJson(payload ?? null);
    const bytes = Buffer.byteLength(json);
    const before = await kept.sizeOf(scope, MOST_KEPT.count);
    if (before.count >= MOST_KEPT.count || before.bytes + bytes > MOST_KEPT.bytes) {
      throw new WeftError(
        'kept_events_full',
        `The company has ${before.count} events with ${before.bytes} bytes that are kept; ${MOST_KEPT.count} and ` +
          `${MOST_KEPT.bytes} bytes are allowed. Send it again later, or with a shorter ttlMs.`,
      );
    }
    const event: KeptEventDocument = {
      ...{ _id: id ?? newId(), company_id: scope.companyId, name, key, payload: json, bytes, sent_by: sentBy },
      ...{ received_at: now, open: true, keep_until: new Date(now.getTime() + ttlMs) },
      ...(id !== undefined && { is_repeatable: true as const }),
      expires_at: new Date(now.getTime() + ttlMs),
    };
    if (await kept.insert(scope, event)) return event;
    return (await kept.find(scope, event._id)) ?? event;
  }

  /** Whether the play has it now. */
  private async offer(play: WaitingPlay, event: OpenEvent): Promise<boolean> {
    const topics = topicsOfEvent(event.name, event.key);
    const answer = this.answerOf(play.company_id, event._id, parseStoredJson(event.payload), event.received_at);
    const giving = { topics, answer, kept: new Kept(event), isOffer: true };
    const given = async () => {
      await answer.prepare([play]);
      return this.give(play, giving, undefined);
    };
    return (await answer.settledAfter(given())).took;
  }

  private async giveAll(scope: TenantScope, giving: Giving, reaches: SentEvent['reaches']): Promise<number> {
    const { waiting, doorbell, windowRoom } = this.deps;
    const { topics, answer, kept } = giving;
    let matched = 0;
    for (let after = ''; ;) {
      const { plays: found, next } = await waiting.find(scope, { waitsFor: topics }, after, PLAYS_PER_READ);
      const plays = await reaches(found);
      await answer.prepare(plays);
      const askedAtMs = performance.now();
      const room = await this.roomFor(scope, plays, giving);
      const taken: Given[] = [];
      let first = 0;
      // one takes what is kept; the others wait for it as well
      for (; kept?.isOpen && first < plays.length; first += 1)
        taken.push(await this.give(plays[first] as WaitingPlay, giving, room.ids));
      taken.push(...(await Promise.all(plays.slice(first).map((play) => this.give(play, giving, room.ids)))));
      const rung = new Set(taken.flatMap(({ job }) => job?.playId ?? []));
      windowRoom.giveBack(scope.companyId, room, rung);
      matched += taken.filter((one) => one.took).length;
      const jobs = taken.flatMap(({ job }) => (job ? [job] : []));
      if (jobs.length > 0) void doorbell.ring(jobs, askedAtMs);
      if (next === null) return matched;
      after = next;
    }
  }

  /** Takes places for the plays that would continue; the others become due and continue when there is room. */
  private roomFor(scope: TenantScope, plays: Plays, { topics, waitedAt }: Giving): Promise<TakenRoom> {
    const at = new Date(this.deps.mongo.serverNow());
    const going = plays.filter((play) => {
      const [position] = positionsWaitingFor(play, topics, waitedAt);
      return position !== undefined && needsRoom(play, { kind: 'resume', position, payload: null }, at);
    });
    return this.deps.windowRoom.take(
      scope.companyId,
      going.map(({ _id }) => _id),
    );
  }

  /** Answers every layer of the play that waits for it; a play that moves meanwhile is read again. */
  private async give(read: WaitingPlay, giving: Giving, room: ReadonlySet<string> | undefined): Promise<Given> {
    const { topics, answer, kept, waitedAt, isOffer = false } = giving;
    const key = playKeyOf(read);
    const scope = new TenantScope(key.companyId);
    let took = false;
    let job: PlayJob | undefined;
    let known: WaitingPlay | null = read;
    let form: object | null = null;
    for (;;) {
      const takes = kept?.isOpen === true;
      const applied: Applied<WaitingPlay> = await this.deps.commands.apply<WaitingPlay>({
        ...(room && { room }),
        read: async () => {
          const play = known ?? (await this.deps.store.find(key));
          known = null;
          return play;
        },
        order: async (play) => {
          const [position] = play ? positionsWaitingFor(play, topics, waitedAt) : [];
          if (!play || position === undefined) return null;
          if (play !== read) await answer.prepare([play]);
          form = answer.formFor(play);
          return {
            ...{ play, command: { kind: 'resume', position, payload: form } },
            ...(takes && { also: (session) => this.deps.kept.take(session, scope, kept.event) }),
          };
        },
      });
      if (applied.kind === 'declined' && kept) kept.isOpen = false;
      // another play has taken it; this one waited for it as well
      if (applied.kind === 'declined' && !isOffer) continue;
      if (applied.kind !== 'written' || !form) return { took, job };
      took = true;
      if (kept) kept.isOpen = false;
      answer.taken(key.playId, form);
      job = applied.job ?? job;
      if (isOffer || positionsWaitingFor(applied.play, topics, waitedAt).length === 1) return { took, job };
    }
  }
}

interface Giving {
  readonly topics: readonly string[];
  readonly answer: AnswerPayload;
  readonly kept: Kept | null;
  /** For layers that waited then; left out: now. */
  readonly waitedAt?: Date;
  /** For one layer, and only if no other has it. */
  readonly isOffer?: boolean;
}

interface Given {
  readonly took: boolean;
  readonly job?: PlayJob | undefined;
}

/** What its layers wait for that have no answer yet. */
function awaitedBy({ waits = {}, inbox = {} }: WaitingPlay): AwaitedEvent[] {
  return Object.values(waits).flatMap(({ position, event }: Pick<LayerWait, 'position' | 'event'>) =>
    event && !Object.hasOwn(inbox, String(position)) ? [event] : [],
  );
}
