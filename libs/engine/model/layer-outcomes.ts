/** Test only. What the layers of a script do: how a call of each letter ends. */
import type { LayerOutcome, LayerWait } from '../src/layer-outcome.js';
import type { LayerResult } from '../src/play.js';
import type { Slot } from './world-parts.js';
import { letterAt } from './scenario.js';
import type { World } from './world.js';

const WAIT_MS = 3_000;
const PARKS: Readonly<Record<string, Pick<LayerWait, 'kind' | 'event'>>> = {
  w: { kind: 'event', event: { name: 'answer', key: null } },
  t: { kind: 'event', event: { name: 'answer', key: 'k' } },
  d: { kind: 'delay' },
};

export function outcomeOf(
  world: World,
  slot: Slot,
  position: number,
  error: { code: string; message: string } | null,
): LayerOutcome {
  const letter = letterAt(world.scenario.plays[slot.p], position);
  const { ref = '', name = '' } = slot.session?.plan[position] ?? {};
  const at = new Date(world.clock);
  const asked = slot.asked.get(position);
  const park = PARKS[letter];
  if (park && asked && !isOver(asked.wait, asked.inbox, position, asked.at)) {
    const since = asked.wait?.since ?? new Date(asked.at);
    const until = letter === 'w' ? null : new Date(since.getTime() + WAIT_MS);
    return { kind: 'wait', wait: { ...park, position, ref, since, until } };
  }
  if (letter === 's' && asked && !asked.hasEnded) {
    const since = asked.wait?.since ?? new Date(asked.at);
    const children = { open: 1, wakeAfter: 1, playId: `child${position}` };
    return { kind: 'wait', wait: { kind: 'children', position, ref, since, until: null, children } };
  }
  const result: LayerResult = {
    ...{ position, ref, name, startedAt: new Date(asked?.at ?? world.clock), completedAt: at },
    ...{ state: error ? 'FAIL' : 'nf'.includes(letter) ? 'FILTERED' : 'DONE', out: null, outBytes: 4 },
    ...{ attempts: (slot.session?.tries[position] ?? 0) + 1, ...(error && { error }), by: slot.owner },
  };
  if (letter === 'f') return { kind: 'result', result, then: { filterRest: true } };
  const last = slot.session?.plan.at(-1)?.ref ?? '';
  if (letter === 'b') return { kind: 'result', result, then: { skip: [last] } };
  return { kind: 'result', result };
}

function isOver(wait: LayerWait | undefined, inbox: object, position: number, at: number): boolean {
  return Object.hasOwn(inbox, String(position)) || (wait?.until ? wait.until.getTime() <= at : false);
}
