import type { HealingLoop } from './healing-loop.js';
import { SteadyWindow, type SteadyWindowDeps } from './steady-window.js';
import { WaitCircles, type WaitCirclesDeps } from './wait-circles.js';

export type CircleLoopsDeps = Omit<WaitCirclesDeps, 'mostAdmitted'> & SteadyWindowDeps;

/**
 * The search for plays that wait for each other, and the look at the window that it needs. Both are loops of their own: a pass of the
 * search takes minutes while MongoDB is slow, and the window is to be watched meanwhile.
 */
export function circleLoops(deps: CircleLoopsDeps): readonly HealingLoop[] {
  const window = new SteadyWindow(deps);
  return [window, new WaitCircles({ ...deps, mostAdmitted: () => window.size() })];
}
