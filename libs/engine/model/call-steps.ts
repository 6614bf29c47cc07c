/** Test only. How the calls of a play in a worker end: each by itself, in whatever order. */
import type { Session } from '../src/session/session.js';
import { dies } from './death.js';
import { outcomeOf } from './layer-outcomes.js';
import { isProofFresh } from './proof.js';
import { stepperSteps } from './step-steps.js';
import { send, type Push, type Slot, type Worker } from './world-parts.js';
import type { World } from './world.js';

export function callSteps(
  world: World,
  worker: Worker,
  slot: Slot,
  session: Session,
  writing: boolean,
  push: Push,
): void {
  const { engine, budget, now } = world;
  const calls = slot.abandoned ? [] : session.runningCalls;
  for (const { position } of calls) {
    const effect = session.plan[position]?.kind === 'effect';
    const earlier = slot.unsent.get(position);
    if (earlier !== undefined) {
      sendSteps(world, slot, session, { position, earlier }, push);
      continue;
    }
    if (world.scenario.plays[slot.p]?.poison && effect)
      return push('work', `kills W${worker.index}`, () => dies(world, worker));
    if (now < (slot.asked.get(position)?.lastsUntil ?? 0)) continue;
    const stepper = slot.steppers.get(position);
    if (stepper) {
      stepperSteps(world, slot, session, { position, stepper, writing }, push);
      continue;
    }
    const ends = (error: { code: string; message: string } | null) => () => {
      if (error) budget.layerFails -= 1;
      slot.session = engine.onLayerEnded(session, outcomeOf(world, slot, position, error));
    };
    push('work', `call ${position} ends`, ends(null));
    if (effect && budget.layerFails > 0)
      push('faults', `call ${position} fails`, ends({ code: 'failed', message: 'It failed.' }));
  }
  if (worker.stopping && !writing && calls.length > 0)
    push('faults', 'is still in a call when the grace is over', () => {
      slot.abandoned = true;
      if (calls.some(({ position }) => slot.touching.has(position) || slot.steppers.has(position)))
        world.charge(slot, false);
      const write = engine.decideGivingUp(session, new Date(world.clock));
      if (write) send(world, slot, write);
    });
}

/** A connection may take long, or the worker may freeze meanwhile: the request is written on a proof of that moment. */
function sendSteps(
  world: World,
  slot: Slot,
  session: Session,
  { position, earlier }: { readonly position: number; readonly earlier: number },
  push: Push,
): void {
  if (!world.engine.provesWhenSent || isProofFresh(world, slot, session)) {
    push('work', `call ${position} is sent`, () => {
      slot.unsent.delete(position);
      world.watch.called(slot.p, position, world.table.get(slot.p), earlier);
    });
  } else if (session.isClaimed && !slot.renewal && !slot.renewalLost) {
    push('work', `call ${position} waits for a proof`, () => void (slot.renewal = { sentAt: world.now }));
  }
}
