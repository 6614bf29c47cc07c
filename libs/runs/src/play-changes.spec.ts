import type { PlayWrite } from '@weft/engine';
import { expect, it } from 'vitest';
import { PlayChanges, type ChangedPlay } from './play-changes.js';

const AT = new Date(1_800_000_000_000);
const PLAY = { _id: 'p1', company_id: 'c1', flowId: 'f1', seq: 3 } satisfies ChangedPlay;
const CHILD = {
  ...PLAY,
  parentPending: true,
  parentPlayId: 'p0',
  parent: { flowId: 'f0', first: 'p0', nth: 0, layer: 2, depth: 1 },
} as const;
const ENDED = { type: 'state', state: 'FAIL', at: AT };

function writeOf(set: object, log: readonly object[]): PlayWrite {
  return { set, log } as unknown as PlayWrite;
}

function setUp(becameStored = false) {
  const did: unknown[][] = [];
  const changes = new PlayChanges({
    store: { becameStored: () => Promise.resolve(becameStored) },
    notices: { announce: (...args) => void did.push(['announce', ...args]) },
    signals: { publish: (...args) => void did.push(['signal', ...args]) },
    figures: { ended: (play, state, startedAt) => void did.push(['ended', play.flowId, state, startedAt]) },
    eventsAwaited: ({ playId }) => void did.push(['events', playId]),
    notifyParent: ({ playId, position }) => void did.push(['parent', playId, position]),
    queuesGoOn: ({ company_id, queues, turns }) => void did.push(['queues', company_id, queues, turns]),
  });
  return { changes, did };
}

it('counts an end, notifies the parent that waits for it, gateways and the worker', () => {
  const { changes, did } = setUp();
  changes.written(CHILD, writeOf({ state: 'FAIL', seq: 4 }, [ENDED]));
  expect(did).toEqual([
    ['ended', 'f1', 'FAIL', null],
    ['parent', 'p0', 2],
    ['announce', 'c1', 'p1', 4],
    ['signal', 'p1'],
  ]);
});

it('says since when a play ran whose journal is known', () => {
  const { changes, did } = setUp();
  const log = [{ type: 'state', state: 'RUN', at: AT }] as unknown as ChangedPlay['log'];
  changes.written({ ...PLAY, log }, writeOf({ state: 'FAIL', seq: 4 }, [ENDED]));
  expect(did[0]).toEqual(['ended', 'f1', 'FAIL', AT]);
});

it('notifies no gateway of a write without an event, and no parent of a play that goes on', () => {
  const { changes, did } = setUp();
  changes.written(CHILD, writeOf({ inbox: {} }, []));
  expect(did).toEqual([['signal', 'p1']]);
});

it('lets queues go on when a play joins one, is held or released in it, or ends, and for no other change', () => {
  const { changes, did } = setUp();
  const queues = ['lane:l'];
  const turns = ['lane:l#0'];
  changes.written(PLAY, writeOf({ queues }, []));
  changes.written({ ...PLAY, queues }, writeOf({ state: 'ON_HOLD' }, []));
  changes.written({ ...PLAY, queues }, writeOf({ state: 'DEFERRED' }, []));
  changes.written({ ...PLAY, queues }, writeOf({ notBegun: {} }, []));
  changes.written({ ...PLAY, turns }, writeOf({ state: 'RUN' }, []));
  changes.written({ ...PLAY, turns }, writeOf({ state: 'DONE', seq: 4 }, []));
  changes.written({ ...PLAY, queues }, writeOf({ state: 'FAIL', seq: 4 }, []));
  expect(did.filter(([what]) => what === 'queues').map(([, ...of]) => of)).toEqual([
    ['c1', queues, undefined],
    ['c1', queues, undefined],
    ['c1', queues, undefined],
    ['c1', undefined, turns],
    ['c1', queues, undefined],
  ]);
});

it('looks at each layer that a write has left waiting for plays', () => {
  const { changes, did } = setUp();
  changes.waitsForPlays({ companyId: 'c1', flowId: 'f1', playId: 'p1' }, [2, 3]);
  expect(did).toEqual([
    ['parent', 'p1', 2],
    ['parent', 'p1', 3],
  ]);
});

it.each([
  [true, ['ended', 'parent', 'announce', 'signal']],
  [false, []],
])('counts an end whose answer was lost once it is known: stored is %s', async (isStored, what) => {
  const { changes, did } = setUp(isStored);
  changes.unanswered(CHILD, writeOf({ state: 'FAIL', seq: 4 }, [ENDED]));
  await new Promise(setImmediate);
  expect(did.map(([first]) => first)).toEqual(what);
});
