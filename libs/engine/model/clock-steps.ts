/** Test only. MongoDB's clock is set, or another member with another clock becomes the primary. */
import type { WorldSteps } from './world-parts.js';
import type { World } from './world.js';

const BY_MS = { clockAhead: 3_600_000, clockBack: -20_000 } as const;

export function clockSteps(world: World, { faults }: WorldSteps): void {
  // a release waits by the clock: a step ahead in those two seconds makes it early, which is not ruled out
  if (world.table.isJustHeld(world.engine.times.settleMs)) return;
  for (const fault of ['clockAhead', 'clockBack'] as const) {
    if (world.budget[fault] <= 0) continue;
    faults.push({
      what: `MongoDB's clock is set by ${BY_MS[fault]} ms`,
      run: () => {
        world.budget[fault] -= 1;
        world.clockSetBy += BY_MS[fault];
      },
    });
  }
}
