/**
 * Test only. A layer that works in steps: each is made only when the end of the one before is stored. Its steps are a call, two that ask
 * a person, and a call.
 */
import type { LayerWait } from '../src/layer-outcome.js';
import type { DoneItems } from '../src/play.js';
import type { Session } from '../src/session/session.js';
import { isProofFresh } from './proof.js';
import { send, type Push, type Slot } from './world-parts.js';
import type { World } from './world.js';

const STEPS = ['call', 'ask', 'ask', 'call'] as const;

/** What a call of the layer knows. */
export interface Stepper {
  /** Steps whose ends are known to it, and how many of these are stored. */
  done: number;
  stored: number;
  /** The last one was answered. */
  takesAnswer: boolean;
  /** The answer that it began with. */
  answer: unknown;
  /** What it has asked to be stored: it goes on once that is acknowledged. */
  asked: DoneItems | null;
  /** That is the removal of an old answer. */
  forgets: boolean;
}

/** @param session when the call of the layer begins */
export function newStepper({ doneItems, inbox }: Session, position: number): Stepper {
  const done = doneItems[position]?.count ?? 0;
  return { done, stored: done, takesAnswer: false, answer: inbox[position], asked: null, forgets: false };
}

/** Known by the object itself, as a worker knows it: a write whose answer was lost is made again. */
const isAcknowledged = ({ doneItems }: Session, position: number, { asked }: Stepper): boolean =>
  asked !== null && doneItems[position] === asked;

/** What can happen in a call of the layer; true: it has to wait for a write. */
export function stepperSteps(
  world: World,
  slot: Slot,
  session: Session,
  { position, stepper, writing }: { readonly position: number; readonly stepper: Stepper; readonly writing: boolean },
  push: Push,
): void {
  const { engine, clock, watch, table } = world;
  const at = new Date(clock);
  const name = `step ${stepper.done} of layer ${position}`;
  const of = { position, ref: session.plan[position]?.ref ?? '', since: at };
  const ends = (wait: LayerWait) => () =>
    void (slot.session = engine.onLayerEnded(session, {
      ...{ kind: 'wait', wait },
      ...(stepper.done > stepper.stored && { doneItems: { count: stepper.done } }),
    }));
  if (stepper.done > stepper.stored && engine.storesSteps) {
    if (isAcknowledged(session, position, stepper)) {
      stepper.stored = stepper.done;
      stepper.takesAnswer = false;
    } else {
      if (writing) return;
      const stored = { position, takesAnswer: stepper.takesAnswer };
      const items = { count: stepper.done };
      const write = engine.decideKeeping(session, position, items, at, stored);
      if (write)
        push('work', `stores ${name}`, () => {
          stepper.asked = items;
          send(world, slot, write);
        });
      else push('work', `${name} goes on later`, ends({ ...of, kind: 'repeat', until: at }));
      return;
    }
  }
  const kind = STEPS[stepper.done];
  if (kind === undefined) {
    push('work', `layer ${position} has made its steps`, () => {
      slot.session = engine.onLayerEnded(session, { kind: 'result', result: resultOf(slot, session, position, at) });
    });
  } else if (kind === 'ask') asks(world, slot, session, { position, stepper, of, ends }, push);
  else if (!isProofFresh(world, slot, session)) {
    if (session.isClaimed && !slot.renewal && !slot.renewalLost)
      push('work', `${name} waits for a proof`, () => void (slot.renewal = { sentAt: world.now }));
  } else
    push('work', `makes ${name}`, () => {
      watch.stepMade(slot.p, position, stepper.done, table.get(slot.p));
      stepper.done += 1;
    });
}

function asks(
  world: World,
  slot: Slot,
  session: Session,
  {
    position,
    stepper,
    of,
    ends,
  }: {
    readonly position: number;
    readonly stepper: Stepper;
    readonly of: Pick<LayerWait, 'position' | 'ref' | 'since'>;
    readonly ends: (wait: LayerWait) => () => void;
  },
  push: Push,
): void {
  const { engine } = world;
  const { done: step } = stepper;
  if (stepper.forgets && isAcknowledged(session, position, stepper)) stepper.answer = undefined;
  const { answer } = stepper;
  if (answer === `answer ${step}`)
    return push('work', `takes the answer to step ${step} of layer ${position}`, () => {
      stepper.takesAnswer = true;
      stepper.done += 1;
    });
  if (answer === undefined)
    return push(
      'work',
      `layer ${position} waits for an answer to step ${step}`,
      ends({ ...of, kind: 'approval', until: null, step }),
    );
  // of a step before, whose end a hold or a stop has stored
  const stored = { position, takesAnswer: true };
  const items = { count: step };
  const write = engine.decideKeeping(session, position, items, of.since, stored);
  if (!write) push('work', `layer ${position} goes on later`, ends({ ...of, kind: 'repeat', until: of.since }));
  else if (!slot.inFlight && slot.rereadFor === null)
    push('work', `forgets an old answer to layer ${position}`, () => {
      Object.assign(stepper, { asked: items, forgets: true });
      send(world, slot, write);
    });
}

function resultOf(slot: Slot, { plan }: Session, position: number, at: Date) {
  const { ref = '', name = '' } = plan[position] ?? {};
  const times = { startedAt: at, completedAt: at };
  return { position, ref, name, state: 'DONE', ...times, out: null, outBytes: 4, attempts: 1, by: slot.owner } as const;
}
