import type { LayerWait, Play } from '@weft/engine';
import { expect, it } from 'vitest';
import { LoopNotifier } from './loop-notifier.js';

const LOOP = { companyId: 'c', flowId: 'f', playId: 'p', position: 0 };

function loopIn(children: LayerWait['children'], { ended, uncollected }: Record<'ended' | 'uncollected', number>) {
  const wait: LayerWait = { position: 0, ref: 'fan', kind: 'children', since: new Date(0), until: null, children };
  const loop = {
    ...{ ended, uncollected, epoch: 1, counts: 0, resumed: 0, waits: { 0: wait } as Record<string, LayerWait> },
    onCount: () => undefined as void,
  };
  const parent = () => ({ state: 'WAIT' as const, epoch: loop.epoch, waits: { ...loop.waits }, layers: [] });
  const notifier = new LoopNotifier({
    store: { find: () => Promise.resolve(parent() as unknown as Play) },
    loops: {
      parentOf: () => Promise.resolve(parent()),
      countEnds: (_scope, _loop, limit) => Promise.resolve(Math.min(loop.ended, limit)),
      countUncollected: (_scope, _loop, limit) => {
        loop.counts += 1;
        loop.onCount();
        return Promise.resolve(Math.min(loop.uncollected, limit));
      },
      forget: () => Promise.reject(new Error('the loop has not ended')),
    },
    commands: {
      apply: async ({ read, order }) => {
        loop.resumed += order(await read()) ? 1 : 0;
        return { kind: 'contended' };
      },
    },
    onFault: (error) => expect.unreachable(String(error)),
  });
  return { notifier, loop, wait };
}

const TEN = { open: 10, wakeAfter: 5, upTo: 9 };

it.each([
  ['when as many plays have ended as it waits for', { ended: 5, uncollected: 10 }, 1],
  ['not before', { ended: 4, uncollected: 10 }, 0],
  ['not while enough of them are left', { ended: 1, uncollected: 5 }, 0],
  ['when fewer plays are left than it waits for: its worker died before it stored its new wait', { ended: 1, uncollected: 2 }, 1], // prettier-ignore
])('sets a loop going %s', async (_when, counts, resumed) => {
  const { notifier, loop } = loopIn(TEN, counts);
  await notifier.notify(LOOP);
  expect(loop.resumed).toBe(resumed);
});

it('counts the plays that are left once while a loop is parked, and again after it has gone on', async () => {
  const { notifier, loop } = loopIn(TEN, { ended: 1, uncollected: 10 });
  for (let ends = 0; ends < 3; ends += 1) await notifier.notify(LOOP);
  expect(loop.counts).toBe(1);
  Object.assign(loop, { epoch: 2, uncollected: 2 });
  await notifier.notify(LOOP);
  expect([loop.counts, loop.resumed]).toEqual([2, 1]);
});

it('leaves a loop alone that has stored ends meanwhile, and waits for others', async () => {
  const { notifier, loop, wait } = loopIn(TEN, { ended: 0, uncollected: 2 });
  loop.onCount = () => void (loop.waits = { 0: { ...wait, children: { open: 2, wakeAfter: 2, upTo: 9 } } });
  await notifier.notify(LOOP);
  expect([loop.counts, loop.resumed]).toEqual([1, 0]);
});
