import type { Play } from '@weft/engine';
import { expect, it } from 'vitest';
import { liveApi, type Json } from '../../../../../test/api/live-api.js';
import { childOf, parkedAt, storedFlow, storedPlays } from '../../../../../test/api/stored-play.js';

const { mongo, person } = await liveApi();

it('a play that waits names the plays that hold it up, and those only by ids that the reader may see', async () => {
  const editor = await person('flow_editor');
  const viewer = await person('viewer', editor.scope.companyId);
  const parents = await storedFlow(mongo, editor, { ask: 'run-flow' });
  const limited = await storedFlow(
    mongo,
    editor,
    { ask: 'run-flow' },
    { settings: { concurrency: 1 }, restricted: true },
  );
  const stored = storedPlays(mongo, editor);
  const store = (flowId: string, fields: object) => stored(flowId, { heartbeatAt: undefined, ...fields });
  const children = { open: 1, wakeAfter: 1, playId: 'child' };
  const waits = parkedAt({ position: 0, ref: 'ask', kind: 'children', children });
  const started = (parent: Play) => ({ ...childOf(parent, { layer: 0 }), parentPending: true });

  const first = await store(parents, { ...waits, lane: 'l', turns: ['lane:l#0'] });
  const queue = { limitKey: '', queues: [`flow:${limited}`] };
  const second = await store(limited, { ...started(first), state: 'DEFERRED', ...queue });
  const turns = [`flow:${limited}#0`];
  const holder = await store(limited, { ...waits, limitKey: '', turns });
  const queued = await store(parents, { ...started(holder), state: 'DEFERRED', lane: 'l', queues: ['lane:l'] });

  const why = async (reader: typeof editor): Promise<Json> => {
    const { status, body } = await reader.send('GET', `/api/v1/plays/${first._id}/waiting`);
    expect(status).toBe(200);
    return body;
  };
  const known = [
    { playId: first._id, flowId: parents, waitsFor: 'child' },
    { playId: second._id, flowId: limited, waitsFor: 'turn', queue: `flow:${limited}` },
    { playId: holder._id, flowId: limited, waitsFor: 'child' },
    { playId: queued._id, flowId: parents, waitsFor: 'turn', queue: 'lane:l' },
    { playId: first._id, flowId: parents, waitsFor: 'child' },
  ];
  const whole = await why(editor);
  expect(whole).toMatchObject({ reason: 'child', circle: true });
  expect(whole.chain).toEqual(known);
  expect(whole.message).toContain('wait for each other');
  const hidden = (waits: string) => ({ playId: null, flowId: null, waitsFor: waits });
  expect((await why(viewer)).chain).toEqual([known[0], hidden('turn'), hidden('child'), known[3], known[4]]);
});
