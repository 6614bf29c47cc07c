import { crashesOf, isSuspect, type Session, type Step } from '@weft/engine';
import type { SuspectLane } from './suspect-lane.js';

/** The turn of one hand-out among the plays that may have killed a worker; others have none, and need none. */
export class SuspectTurn {
  /** The turn did not come, and there was no seat to wait for it: the job is to be handed out again after that. */
  againInMs: number | null = null;
  /** Where the play's cursor was when its turn came. */
  private from: number | null = null;

  constructor(
    private readonly lane: Pick<SuspectLane, 'ask' | 'leave' | 'disturb'>,
    private readonly me: string,
    private readonly playId: string,
  ) {}

  /** Whether this step has to wait for its turn: a suspect runs from its claim on. */
  isDue(step: Step, session: Session): boolean {
    return this.from === null && step.kind === 'write' && step.purpose === 'claim' && isSuspect(session);
  }

  /** Waits for it. False: it gives its slot to others. */
  async isGiven(session: Session): Promise<boolean> {
    const turn = this.lane.ask(this.me, this.playId, crashesOf(session));
    if (typeof turn === 'number') this.againInMs = turn;
    else if (await turn) this.from = session.cursor;
    return this.againInMs === null;
  }

  /** What moved its cursor has passed the place where a worker died. */
  passed({ cursor }: Session): void {
    if (this.from !== null && cursor > this.from) this.leave();
  }

  disturb(): void {
    this.lane.disturb(this.me);
  }

  leave(): void {
    this.lane.leave(this.me);
  }
}
