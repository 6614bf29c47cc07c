import { crashesOf, isSuspect, type Session, type SessionStep } from '@weft/engine';
import type { SuspectLane } from './suspect-lane.js';

/** The turn of one hand-out in the quarantine of suspects. Plays that are not suspects run without a turn. */
export class SuspectTurn {
  /** There was no seat to wait for a turn: the job is to be handed out again after this many milliseconds. */
  againInMs: number | null = null;
  private hasTurn = false;

  constructor(
    private readonly lane: Pick<SuspectLane, 'requestTurn' | 'endTurn' | 'cancelRequest'>,
    private readonly ownerId: string,
    private readonly playId: string,
  ) {}

  /** Whether this step must wait for its turn: a suspect needs one from its claim on. */
  isNeeded(step: SessionStep, session: Session): boolean {
    return !this.hasTurn && step.kind === 'write' && step.purpose === 'claim' && isSuspect(session);
  }

  /** Waits for the turn. False: the play gives its slot up. */
  async obtain(session: Session): Promise<boolean> {
    const turn = this.lane.requestTurn(this.ownerId, this.playId, crashesOf(session));
    if (typeof turn === 'number') this.againInMs = turn;
    else if (await turn) this.hasTurn = true;
    return this.againInMs === null;
  }

  /** Ends the turn of a play that has moved: it has passed the place where a worker died, and is not a suspect any more. */
  endIfPassed({ hasMoved }: Session): void {
    if (this.hasTurn && hasMoved) this.end();
  }

  cancelRequest(): void {
    this.lane.cancelRequest(this.ownerId);
  }

  end(): void {
    this.lane.endTurn(this.ownerId);
  }
}
