/** Test only. The stored plays of a simulated world: one write at a time, and a look at each by the watch. */
import type { Play } from '../play.js';
import type { PlayWrite } from '../play-write.js';
import type { Mover } from '../play-state/transitions.js';
import type { Engine } from './engine-under-test.js';
import type { Watch } from './watch.js';

export class Table {
  readonly plays: (Play | null)[];

  constructor(
    private readonly engine: Engine,
    private readonly watch: Watch,
    count: number,
  ) {
    this.plays = Array.from({ length: count }, () => null);
  }

  get(p: number): Play {
    const play = this.plays[p];
    if (!play) throw new Error(`play ${p} was not accepted`);
    return play;
  }

  /** False: the key binds another play. */
  insert(p: number, play: Play): boolean {
    if (play.key !== undefined && this.plays.some((one) => one?.key === play.key)) return false;
    this.plays[p] = play;
    this.watch.inserted(p, play);
    return true;
  }

  write(p: number, write: PlayWrite, by: Mover, now: number): boolean {
    const before = this.get(p);
    const after = this.engine.applyWrite(before, write, new Date(now));
    if (!after) return false;
    this.plays[p] = after;
    this.watch.wrote(p, before, after, by, now);
    return true;
  }

  /** Protocol §4 "Renew": a sign of life of this owner and nothing else. */
  renew(p: number, owner: string, now: number): boolean {
    const before = this.get(p);
    if (before.owner !== owner || (before.state !== 'RUN' && before.state !== 'ON_HOLD')) return false;
    this.plays[p] = { ...before, beatAt: new Date(now) };
    return true;
  }
}
