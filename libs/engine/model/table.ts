/** Test only. The stored plays of a simulated world: one write at a time, each checked by the invariant checker. */
import type { Play } from '../src/play.js';
import type { PlayWrite } from '../src/play-write.js';
import { queueOfTurn } from '../src/turns.js';
import type { Mover } from '../src/play-state/transitions.js';
import type { Engine } from './engine-under-test.js';
import type { Watch } from './watch.js';

/** Writes of one play that a read may lack. */
const MOST_PAST = 3;

export class Table {
  readonly plays: (Play | null)[];
  /** When each play gave its last sign of life, and was held, whatever the clock showed. */
  private readonly beats = new Map<number, number>();
  private readonly holds = new Map<number, number>();
  /** The states before the present one, for reads that are outdated. */
  private readonly past = new Map<number, Play[]>();

  constructor(
    private readonly engine: Engine,
    private readonly watch: Watch,
    count: number,
    private readonly time: { readonly now: number; readonly clock: number },
  ) {
    this.plays = Array.from({ length: count }, () => null);
  }

  get(p: number): Play {
    const play = this.plays[p];
    if (!play) throw new Error(`play ${p} was not accepted`);
    return play;
  }

  /** @param back how many writes ago; null: before it was there */
  getPast(p: number, back: number): Play | null {
    return this.past.get(p)?.at(-back) ?? null;
  }

  /** False: the key binds another play. One that failed gives it up. */
  insert(p: number, play: Play): boolean {
    const holder = play.key === undefined ? -1 : this.plays.findIndex((one) => one?.key === play.key);
    if (holder >= 0 && !this.giveKey(holder)) return false;
    this.plays[p] = play;
    this.beat(p);
    this.watch.inserted(p, play);
    return true;
  }

  write(p: number, write: PlayWrite, by: Mover): boolean {
    const before = this.get(p);
    const after = this.engine.applyWrite(before, write, new Date(this.time.clock));
    if (!after || this.turnTaken(p, write) !== null) return false;
    this.past.set(p, [...(this.past.get(p) ?? []), before].slice(-MOST_PAST));
    this.plays[p] = after;
    const { now, clock } = this.time;
    this.watch.wrote(p, before, after, { by, silentMs: now - (this.beats.get(p) ?? 0), clock });
    this.watch.checkTurns(p, before, this.plays);
    if (write.touch.includes('heartbeatAt')) this.beat(p);
    if (write.touch.includes('heldAt')) this.holds.set(p, this.time.now);
    return true;
  }

  /** The queue of a turn that another play has; null: of none that the write gives. */
  turnTaken(p: number, { set: { turns = [] } }: PlayWrite): string | null {
    if (!this.engine.hasTurnIndex) return null;
    const taken = this.plays.flatMap((play, i) => (i === p ? [] : (play?.turns ?? [])));
    const both = turns.find((turn) => taken.includes(turn));
    return both === undefined ? null : queueOfTurn(both);
  }

  /** A lane goes on past the play at which it has stopped. */
  skip(p: number): void {
    const { turns: _turns, ...rest } = this.get(p);
    this.plays[p] = rest;
  }

  /** docs/protocol.md §4 "Renew": a sign of life of this owner and nothing else. */
  renew(p: number, owner: string): boolean {
    const before = this.get(p);
    if (before.owner !== owner || (before.state !== 'RUN' && before.state !== 'ON_HOLD')) return false;
    this.plays[p] = { ...before, heartbeatAt: new Date(this.time.clock) };
    this.beat(p);
    return true;
  }

  /** A hold is so young that a release has to wait. */
  isJustHeld(settleMs: number): boolean {
    return this.plays.some(
      (play, p) => play?.state === 'ON_HOLD' && this.time.now - (this.holds.get(p) ?? 0) < settleMs,
    );
  }

  private giveKey(p: number): boolean {
    const { key: _key, ...rest } = this.get(p);
    if (rest.state !== 'FAIL') return false;
    this.plays[p] = rest;
    return true;
  }

  private beat(p: number): void {
    this.beats.set(p, this.time.now);
  }
}
