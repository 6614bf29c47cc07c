import { decideCommand, type LayerWait, type Play } from '@weft/engine';
import type { StartingPlay } from '@weft/store';
import { expect, it } from 'vitest';
import { ParentNotifier } from './parent-notifier.js';

const LAYER = { companyId: 'c', flowId: 'f', playId: 'p', position: 0 };
const FEW: LayerWait['children'] = { open: 10, wakeAfter: 5, upTo: 9 };
const ONE: LayerWait['children'] = { open: 1, wakeAfter: 1, playId: 'child' };

/** @param change of a play that waits for plays */
function setUp(change: Partial<Play>, ended: number, children = FEW) {
  const wait: LayerWait = { position: 0, ref: 'fan', kind: 'children', since: new Date(0), until: null, children };
  const waiting = { _id: 'p', company_id: 'c', flowId: 'f', state: 'WAIT', epoch: 1, seq: 1, cursor: 0, layers: [] };
  const play = { ...waiting, waits: { 0: wait }, ...change } as StartingPlay;
  const did: string[] = [];
  const notifier = new ParentNotifier({
    children: {
      startingPlay: () => Promise.resolve(play),
      countEnds: (_scope, _layer, limit) => Promise.resolve(Math.min(ended, limit)),
      forgetEnds: async (_scope, _layer, only) => void did.push(`forgets the end${only ? ` of ${only}` : 's'}`),
    },
    commands: {
      apply: async ({ read, order }) => {
        const ordered = await order(await read());
        if (!ordered) return { kind: 'unchanged' };
        const decision = decideCommand(ordered.play, ordered.command, new Date());
        if (decision.kind !== 'write') return { kind: 'refused', play: ordered.play, why: 'it may not' };
        did.push('sets it going');
        return { kind: 'written', play: ordered.play, write: decision.write, job: null };
      },
    },
    signals: { publish: (playId) => void did.push(`tells the worker of ${playId}`) },
    onFault: (error) => expect.unreachable(String(error)),
  });
  return { notify: () => notifier.notify(LAYER), did, wait };
}

it.each<[string, Partial<Play>, number, LayerWait['children'], string[]]>([
  ['as many plays have ended as a loop waits for', {}, 5, FEW, ['sets it going']],
  ['fewer have ended', {}, 4, FEW, []],
  ['the only play of a layer has ended', {}, 1, ONE, ['sets it going', 'forgets the end of child']],
  ['it has ended before its layer waits', { state: 'RUN', waits: {} }, 1, ONE, []],
  [
    'it has ended, and its layer waits beside another one',
    { state: 'RUN' },
    1,
    ONE,
    ['sets it going', 'forgets the end of child'],
  ],
  ['the play of the layer has ended before', { state: 'FAIL' }, 1, FEW, ['forgets the ends']],
  [
    'the layer has its result',
    { layers: [{ position: 0 }] as unknown as Play['layers'] },
    1,
    FEW,
    ['forgets the ends'],
  ],
])('when %s', async (_when, change, ended, children, expected) => {
  const { notify, did } = setUp(change, ended, children);
  expect(await notify()).toBe(expected.includes('sets it going'));
  expect(did).toEqual(expected);
});

it('keeps the end of a play that could not set its layer going', async () => {
  const { notify, did } = setUp({ state: 'ON_HOLD', held: 'RUN' }, 1, ONE);
  expect(await notify()).toBe(false);
  expect(did).toEqual([]);
});

it('leaves a layer alone that was set going', async () => {
  const { wait } = setUp({}, 0);
  const { notify, did } = setUp({ waits: { 0: { ...wait, until: new Date() } } }, 5);
  await notify();
  expect(did).toEqual([]);
});

it('tells the worker again that runs another layer of the stage', async () => {
  const { wait } = setUp({}, 0);
  const { notify, did } = setUp({ state: 'RUN', waits: { 0: { ...wait, until: new Date() } } }, 5);
  expect(await notify()).toBe(false);
  expect(did).toEqual(['tells the worker of p']);
});
