import { MicroBatcher } from '@weft/concurrency';
import type { PlayJob } from '@weft/contracts';
import { isRefillDue, type AdmissionWindow, type Doorbell, type RoomReply, type WindowRefiller } from '@weft/queue';

interface AcceptedPlay {
  readonly job: PlayJob;
  readonly priority: number;
  /** It was inserted with the mark of those that wait for room. */
  readonly isMarked: boolean;
  readonly askedAtMs: number;
}

export interface AdmissionDispatcherOptions {
  readonly windowSize: () => number | Promise<number>;
  /** Marks plays that found no room. */
  readonly mark: (jobs: readonly PlayJob[]) => Promise<void>;
  readonly onMarked: (companyId: string, plays: number) => void;
  /** Plays were accepted and no doorbell was rung for them: Redis is unreachable. */
  readonly onNotRung: (count: number, cause: unknown) => void;
}

/** Companies that are remembered as full. */
const MOST_FULL = 10_000;

/**
 * Gives accepted plays room in their company's window and rings the doorbell for them, in batches and after the caller was
 * answered. Plays for which there is no room are marked in MongoDB, where refills find them.
 */
export class AdmissionDispatcher {
  private readonly batches: MicroBatcher<AcceptedPlay>;
  /** No ring waits for their marks. */
  private readonly refused: MicroBatcher<AcceptedPlay>;
  /** Companies in which others waited when this process last asked. */
  private readonly full = new Set<string>();

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

  dispatch(play: AcceptedPlay): void {
    this.batches.add(play);
  }

  /** Resolves when every dispatched play was rung for, or left to refills or the reconciler. */
  async settled(): Promise<void> {
    await this.batches.settled();
    await this.refused.settled();
    await this.refiller.settled();
  }

  private async admitAndRing(batch: readonly AcceptedPlay[]): Promise<void> {
    // The doorbell drops a ring whose insert took too long: the play would take up room in its window and never run
    const canRing = ({ isMarked, askedAtMs }: AcceptedPlay) => !isMarked && !this.doorbell.isTooLate(askedAtMs);
    const groups = byCompany(batch);
    const taken = await this.take(groups, canRing, this.options.onNotRung);
    const rings: AcceptedPlay[] = [];
    for (const [companyId, plays] of groups) {
      for (const play of plays) {
        if (canRing(play) && taken.get(companyId)?.ids.has(play.job.playId)) rings.push(play);
        else if (!play.isMarked) this.refused.add(play);
      }
    }
    await this.doorbell.ringEach(rings);
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
      return [companyId, { ids, more: plays.length - ids.length }] as const;
    });
    const windowSize = await this.options.windowSize();
    let cause: unknown = new Error('Redis failed for the window of a company');
    const taken = await this.window.takeRoom(windowSize, new Map(requests)).catch((error: unknown) => {
      cause = error;
      return new Map<string, RoomReply>();
    });
    for (const [companyId, plays] of groups) {
      const reply = taken.get(companyId);
      this.remember(companyId, reply?.waits ?? true);
      if (!reply) onFailed(plays.length, cause);
      else if (plays.some(({ isMarked }) => isMarked)) this.refillWhereDue(companyId, reply, windowSize);
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
