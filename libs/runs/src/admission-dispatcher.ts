import { setTimeout as sleep } from 'node:timers/promises';
import { MicroBatcher } from '@weft/concurrency';
import type { PlayJob } from '@weft/contracts';
import {
  isRefillDue,
  type AdmissionWindow,
  type Doorbell,
  type RoomReply,
  type WindowRefiller,
  type WindowSizeOf,
} from '@weft/queue';

interface AcceptedPlay {
  readonly job: PlayJob;
  readonly priority: number;
  /** It was inserted with the mark of those that wait for room. */
  readonly isMarked: boolean;
  readonly askedAtMs: number;
}

export interface AdmissionDispatcherOptions {
  readonly windowSizes: () => WindowSizeOf | Promise<WindowSizeOf>;
  /** Marks plays that found no room. */
  readonly mark: (jobs: readonly PlayJob[]) => Promise<void>;
  readonly onMarked: (companyId: string, plays: number) => void;
  /** Plays were accepted and no doorbell was rung for them: Redis is unreachable. */
  readonly onNotRung: (count: number, cause: unknown) => void;
}

/** Companies that are remembered as full. */
const MOST_FULL = 10_000;
/** How long an accepted play waits for room in this process, where that costs nothing, before it is marked. */
const WAITS_HERE_MS = 2_000;
/** They ask again so often that half a window of queued plays lasts for longer, however small it is. */
const ASKS_EVERY_MS = 20;
const PLACES_PER_MS = 20;
/** Plays of a company that wait here. */
const MOST_HERE = 1_000;

/**
 * Gives accepted plays room in their company's window and rings the doorbell for them, in batches and after the caller was
 * answered. Where there is no room, plays wait here for a moment. Those that still find none, or are too many, are marked in
 * MongoDB, where refills find them, and from then on so is each new play of the company.
 */
export class AdmissionDispatcher {
  private readonly batches: MicroBatcher<AcceptedPlay>;
  /** No ring waits for their marks. */
  private readonly refused: MicroBatcher<AcceptedPlay>;
  /** Companies in which others waited when this process last asked. */
  private readonly full = new Set<string>();
  /** Plays that wait for room here, by company. */
  private readonly here = new Map<string, AcceptedPlay[]>();
  private asking: Promise<void> | null = null;

  constructor(
    private readonly window: Pick<AdmissionWindow, 'takeRoom'>,
    private readonly doorbell: Pick<Doorbell, 'isTooLate' | 'ringEach'>,
    private readonly refiller: Pick<WindowRefiller, 'refillSoon' | 'settled'>,
    private readonly options: AdmissionDispatcherOptions,
  ) {
    this.batches = new MicroBatcher({
      flush: (batch) => this.admitAndRing(batch),
      onError: (cause, batch) => options.onNotRung(batch.length, cause),
    });
    this.refused = new MicroBatcher({
      flush: (refused) => this.mark(refused),
      onError: (cause, refused) => options.onNotRung(refused.length, cause),
    });
  }

  /** A play of this company will find no room: its insert should mark it. A guess, which costs a write where it is wrong. */
  isFull(companyId: string): boolean {
    return this.full.has(companyId);
  }

  /** How many plays of this company wait for room in this process, unmarked. */
  waitingHere(companyId: string): number {
    return this.here.get(companyId)?.length ?? 0;
  }

  dispatch(play: AcceptedPlay): void {
    if (!play.isMarked && this.here.has(play.job.companyId)) this.waitHere(play);
    else this.batches.add(play);
  }

  /** Resolves when every dispatched play was rung for, or left to refills or the reconciler. */
  async settled(): Promise<void> {
    await this.batches.settled();
    await this.asking;
    await this.refused.settled();
    await this.refiller.settled();
  }

  private async admitAndRing(batch: readonly AcceptedPlay[]): Promise<void> {
    for (const play of await this.admit(batch)) this.waitHere(play);
  }

  /** @returns those that found no room, and may ask again */
  private async admit(batch: readonly AcceptedPlay[]): Promise<readonly AcceptedPlay[]> {
    // The doorbell drops a ring whose insert took too long: the play would take up room in its window and never run
    const canRing = ({ isMarked, askedAtMs }: AcceptedPlay) => !isMarked && !this.doorbell.isTooLate(askedAtMs);
    const mayWait = ({ askedAtMs }: AcceptedPlay) => performance.now() - askedAtMs < WAITS_HERE_MS;
    const groups = byCompany(batch);
    const taken = await this.take(groups, canRing, this.options.onNotRung);
    const rings: AcceptedPlay[] = [];
    const again: AcceptedPlay[] = [];
    for (const [companyId, plays] of groups) {
      const reply = taken.get(companyId);
      for (const play of plays) {
        if (canRing(play) && reply?.ids.has(play.job.playId)) rings.push(play);
        else if (reply?.waits === false && canRing(play) && mayWait(play)) again.push(play);
        else if (!play.isMarked) this.refused.add(play);
      }
    }
    await this.doorbell.ringEach(rings);
    return again;
  }

  private waitHere(play: AcceptedPlay): void {
    const { companyId } = play.job;
    const plays = this.here.get(companyId) ?? [];
    if (plays.length >= MOST_HERE) return this.refused.add(play);
    plays.push(play);
    this.here.set(companyId, plays);
    this.asking ??= this.askAgain();
  }

  private async askAgain(): Promise<void> {
    while (this.here.size > 0) {
      const sizeOf = await this.options.windowSizes();
      const smallest = Math.min(...[...this.here.keys()].map(sizeOf));
      await sleep(Math.min(ASKS_EVERY_MS, smallest / PLACES_PER_MS));
      const first = ([companyId, plays]: [string, AcceptedPlay[]]) =>
        plays.sort(byPriorityThenAge).slice(0, Math.ceil(sizeOf(companyId) / 2));
      const asked = new Set([...this.here].flatMap(first));
      const again = await this.admit([...asked]).catch((cause: unknown) => {
        this.options.onNotRung(asked.size, cause);
        return [];
      });
      for (const play of again) asked.delete(play);
      for (const [companyId, plays] of this.here) {
        const left = plays.filter((play) => !asked.has(play));
        if (this.full.has(companyId)) for (const play of left.splice(0)) this.refused.add(play);
        if (left.length === 0) this.here.delete(companyId);
        else this.here.set(companyId, left);
      }
    }
    // in the same turn as the look: a play that comes after it begins anew
    this.asking = null;
  }

  private async mark(refused: readonly AcceptedPlay[]): Promise<void> {
    await this.options.mark(refused.map(({ job }) => job));
    const marked = byCompany(refused.map((play) => ({ ...play, isMarked: true })));
    for (const [companyId, plays] of marked) this.options.onMarked(companyId, plays.length);
    // room that got free before the marks were there was not taken by those who looked for them
    await this.take(marked, () => false);
  }

  /** Takes room, and sees to it that somebody takes up the others. Without Redis there is no room. */
  private async take(
    groups: ReadonlyMap<string, readonly AcceptedPlay[]>,
    asks: (play: AcceptedPlay) => boolean,
    onFailed: AdmissionDispatcherOptions['onNotRung'] = () => undefined,
  ): Promise<ReadonlyMap<string, RoomReply>> {
    const requests = [...groups].map(([companyId, plays]) => {
      const ids = plays.filter(asks).map(({ job }) => job.playId);
      return [companyId, { ids, more: plays.length - ids.length, asksAgain: true }] as const;
    });
    const sizeOf = await this.options.windowSizes();
    let cause: unknown = new Error('Redis failed for the window of a company');
    const taken = await this.window.takeRoom(sizeOf, new Map(requests)).catch((error: unknown) => {
      cause = error;
      return new Map<string, RoomReply>();
    });
    for (const [companyId, plays] of groups) {
      const reply = taken.get(companyId);
      this.remember(companyId, reply?.waits ?? true);
      if (!reply) onFailed(plays.length, cause);
      else if (plays.some(({ isMarked }) => isMarked)) this.refillWhereDue(companyId, reply, sizeOf(companyId));
    }
    return taken;
  }

  private remember(companyId: string, isFull: boolean): void {
    if (!isFull) this.full.delete(companyId);
    else if (this.full.size < MOST_FULL) this.full.add(companyId);
  }

  private refillWhereDue(companyId: string, { room, waits }: RoomReply, windowSize: number): void {
    const isDue = waits ? isRefillDue({ rung: windowSize - room, waits }, windowSize) : room > 0;
    if (isDue) this.refiller.refillSoon(companyId);
  }
}

/** Each in the order in which its plays are rung for. */
function byCompany(plays: readonly AcceptedPlay[]): Map<string, AcceptedPlay[]> {
  return Map.groupBy(plays.toSorted(byPriorityThenAge), ({ job }) => job.companyId);
}

function byPriorityThenAge(a: AcceptedPlay, b: AcceptedPlay): number {
  return b.priority - a.priority || (a.job.playId < b.job.playId ? -1 : 1);
}
