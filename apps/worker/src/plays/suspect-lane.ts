import { mayRunBeside } from '@weft/engine';

export interface SuspectLaneOptions {
  /** How many suspects may wait in a slot of this process; the others give their jobs back. */
  readonly seats: number;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

interface Waiting {
  readonly id: string;
  readonly crashes: number;
  readonly tell: (entered: boolean) => void;
}

/** A job that was given back comes again after that, and somewhat later the more of them there are. */
const PARK_MS = 500;
const PARK_MORE_MS = 10;
const PARK_MOST_MS = 10_000;

/** Of fewer suspects one runs at a time: then even two poison plays cost none of their neighbours its life. */
const FEW = 9;

/**
 * Plays that may have killed a worker run few at a time in a process, else the neighbours of a poison play, rung again
 * together with it, would die with it three times (protocol §7). Of many suspects hardly any is the cause: the square root of
 * their number runs at once, which is where running them all, and running those of a lost round again alone, takes least.
 */
export class SuspectLane {
  private readonly inside = new Map<string, number>();
  private waiting: Waiting[] = [];
  /** Plays whose jobs were given back, until these come again. */
  private readonly parked = new Map<string, number>();
  /** The most that were known at once since there was none. */
  private crowd = 0;
  private readonly now: () => number;

  constructor(private readonly options: SuspectLaneOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /**
   * Asks for a turn.
   *
   * @param id of the hand-out
   * @param crashes of the play: `crashesOf`
   * @returns whether it is in, once that is known; false: look at the play again, and ask again. A number: there is no seat to
   * wait in; the job is to be given back for so many milliseconds
   */
  ask(id: string, playId: string, crashes: number): Promise<boolean> | number {
    this.parked.delete(playId);
    this.countCrowd(1);
    const { promise, resolve: tell } = Promise.withResolvers<boolean>();
    this.waiting.push({ id, crashes, tell });
    this.letIn();
    if (this.waiting.length <= this.options.seats) return promise;
    this.waiting.pop();
    return this.park(playId);
  }

  /** It ended, or it is no suspect any more. */
  leave(id: string): void {
    if (this.inside.delete(id)) this.letIn();
  }

  /** Its play changed, or the process stops. */
  disturb(id: string): void {
    const waiting = this.waiting.find((one) => one.id === id);
    if (!waiting) return;
    this.waiting = this.waiting.filter((one) => one !== waiting);
    waiting.tell(false);
    this.letIn();
  }

  private letIn(): void {
    for (let next = this.waiting[0]; next && this.mayEnter(next.crashes); next = this.waiting[0]) {
      this.waiting.shift();
      this.inside.set(next.id, next.crashes);
      next.tell(true);
    }
  }

  private mayEnter(crashes: number): boolean {
    const most = this.crowd < FEW ? 1 : Math.floor(Math.sqrt(this.crowd));
    return mayRunBeside([...this.inside.values()], crashes, most);
  }

  private park(playId: string): number {
    const ms = Math.min(PARK_MS + PARK_MORE_MS * this.crowd, PARK_MOST_MS);
    this.parked.set(playId, this.now() + ms);
    return ms;
  }

  private countCrowd(coming: number): void {
    for (const [playId, until] of this.parked) if (until <= this.now()) this.parked.delete(playId);
    const known = this.inside.size + this.waiting.length + this.parked.size;
    this.crowd = known === 0 ? coming : Math.max(this.crowd, known + coming);
  }
}
