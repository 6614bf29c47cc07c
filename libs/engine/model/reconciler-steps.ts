/** Test only. Reconcilers: docs/protocol.md §6, one of their reads and writes at a time. */
import type { Play } from '../src/play.js';
import type { Mover } from '../src/play-state/transitions.js';
import type { PlayWrite } from '../src/play-write.js';
import { watchAfterMs } from '../src/reconcile/sightings.js';
import type { WorldSteps } from './world-parts.js';
import type { World } from './world.js';

export function reconcilerSteps(world: World, { work }: WorldSteps): void {
  const { engine, table } = world;
  const { times } = engine;
  const jobIsThere = (p: number, epoch: number) =>
    world.jobs.some((job) => job.p === p && job.epoch === epoch && !job.isLeftBehind);

  world.reconcilers.forEach((state, i) => {
    const name = `reconciler ${i}`;
    const set = (next: (typeof world.reconcilers)[number]) => void (world.reconcilers[i] = next);
    const writes = (p: number, write: PlayWrite, by: Mover = 'reconcile') => {
      if (!table.write(p, write, by)) return;
      const stored = table.get(p);
      if (stored.state === 'RUN' || stored.state === 'NEW') world.ring(p, stored.epoch);
    };
    if (!state) {
      if (i > 0 && !world.reconcilers[i - 1]) return;
      table.plays.forEach((play, p) => {
        if (!play) return;
        const seen = world.sightings[i];
        const what = whatFor(play, world, seen?.sinceMs(play) ?? null);
        if (what === 'watch') work.push({ what: `${name} watches ${p}`, run: () => seen?.observe(play, world.now) });
        else if (what) work.push({ what: `${name} finds ${p} (${what})`, run: () => set({ at: what, p, play }) });
      });
      return;
    }
    const { p, play } = state;
    switch (state.at) {
      case 'first look':
        work.push({
          what: `${name} asks Redis for ${p}-${play.epoch}`,
          run: () => set(jobIsThere(p, play.epoch) ? null : { at: 'between', p, play, since: world.now }),
        });
        break;
      case 'between':
        if (world.now - state.since < times.gapMs) break;
        work.push({
          what: `${name} looks again at ${p}`,
          run: () => {
            const fresh = table.get(p);
            const same = fresh.epoch === play.epoch && fresh.seq === play.seq && fresh.owner === undefined;
            const open = fresh.state === 'NEW' || fresh.state === 'RUN';
            set(same && open ? { at: 'second look', p, play: fresh } : null);
          },
        });
        break;
      case 'second look':
        work.push({
          what: `${name} asks Redis again for ${p}-${play.epoch}`,
          run: () => set(jobIsThere(p, play.epoch) ? null : { at: 'raise', p, play }),
        });
        break;
      default:
        work.push({
          what: `${name} writes ${p} (${state.at})`,
          run: () => {
            set(null);
            const at = new Date(world.clock);
            if (state.at === 'raise') writes(p, engine.reissueWrite(play));
            else if (state.at === 'reap') writes(p, engine.reapWrite(play, at));
            else if (state.at === 'due') writes(p, engine.dueWrite(play, at));
            else if (state.at === 'too late') {
              const write = engine.tooLateWrite(play, at);
              if (write) writes(p, write);
            } else writes(p, engine.timeLimitWrite(play, at), 'cancel');
          },
        });
    }
  });
}

const UNBEGUN: readonly Play['state'][] = ['NEW', 'RUN', 'DEFERRED'];

type What = 'due' | 'reap' | 'watch' | 'first look' | 'out of time' | 'too late';

function whatFor(play: Play, { clock, now, engine }: World, seenSince: number | null): What | null {
  const { times } = engine;
  const { state, owner, heartbeatAt, dueAt, deadlineAt, notAfter } = play;
  if (notAfter && notAfter.getTime() < clock && owner === undefined && UNBEGUN.includes(state)) return 'too late';
  if (deadlineAt && deadlineAt.getTime() <= clock) return 'out of time';
  if ((state === 'DEFERRED' || state === 'WAIT') && dueAt && dueAt.getTime() <= clock) return 'due';
  if (!heartbeatAt || (state !== 'NEW' && state !== 'RUN')) return null;
  // a sign of life from the future is one from before the clock was set
  const silentMs = Math.abs(clock - heartbeatAt.getTime());
  if (owner === undefined) return silentMs >= times.unownedMs ? 'first look' : null;
  if (state !== 'RUN' || silentMs < watchAfterMs(times)) return null;
  if (engine.isOwnerDead(play, seenSince, { monotonicMs: now, serverMs: clock }, times)) return 'reap';
  return seenSince === null ? 'watch' : null;
}
