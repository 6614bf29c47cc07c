/** Test only. One run of the simulated world: steps by choice while faults may strike, then calm until all is at rest. */
import { ENGINE, type Engine } from './engine-under-test.js';
import type { WorldStep, WorldSteps } from './world-parts.js';
import type { Scenario } from './scenario.js';
import { World } from './world.js';

export interface Run {
  /** What promise was broken; null = none. */
  readonly violation: string | null;
  readonly trace: readonly string[];
  readonly world: World;
}

const CALM_STEPS = 3_000;

/** @param choices each picks one of the steps that are possible then; any numbers will do */
export function runWorld(scenario: Scenario, choices: readonly number[], engine: Engine = ENGINE): Run {
  const world = new World(scenario, engine);
  const trace: string[] = [];
  const does = (step: WorldStep | undefined): boolean => {
    if (!step) return false;
    trace.push(step.what);
    step.run();
    return world.watch.violation === null;
  };
  for (const choice of choices) {
    const steps = world.steps();
    if (!does(pick(listFor(steps, choice), choice >>> 4))) if (world.watch.violation !== null || noSteps(steps)) break;
  }
  if (world.watch.violation === null) calm(world, does);
  return { violation: world.watch.violation, trace, world };
}

function calm(world: World, does: (step: WorldStep | undefined) => boolean): void {
  world.calmDown();
  let state = 12_345;
  for (let i = 0; i < CALM_STEPS; i += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const steps = world.steps();
    if (world.atRest && !steps.work.some((step) => step.what.startsWith('accept'))) break;
    const waits = steps.work.length === 0 || (state >>> 28) % 6 === 0;
    if (steps.work.length === 0) world.unblock();
    const list = waits && steps.time.length > 0 ? steps.time : steps.work;
    if (!does(pick(list, state >>> 8)) && world.watch.violation !== null) return;
  }
  world.watch.ended(world.table.plays);
}

/** One choice in sixteen is a fault and one a command, while there are any; three let time pass. */
function listFor(steps: WorldSteps, choice: number): readonly WorldStep[] {
  const wish = choice & 15;
  const wished = wish === 0 ? steps.faults : wish === 1 ? steps.commands : wish < 5 ? steps.time : steps.work;
  if (wished.length > 0) return wished;
  return steps.work.length > 0 ? steps.work : steps.time;
}

function pick(list: readonly WorldStep[], n: number): WorldStep | undefined {
  return list[n % list.length];
}

function noSteps(steps: WorldSteps): boolean {
  return steps.work.length + steps.time.length === 0;
}
