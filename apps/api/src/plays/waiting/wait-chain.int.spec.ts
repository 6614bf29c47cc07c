import { expect, it } from 'vitest';
import { liveApi, type Json } from '../../../../../test/api/live-api.js';
import { parkedAt, storedFlow, storedPlays } from '../../../../../test/api/stored-play.js';

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
  const waitsFor = (playId: string) => parkedAt({ position: 0, ref: 'ask', kind: 'play', play: { playId } });

  const second = await store(limited, { state: 'DEFERRED', limitKey: '', queues: [`flow:${limited}`] });
  const first = await store(parents, { ...waitsFor(second._id), lane: 'l', turns: ['lane:l#0'] });
  const queued = await store(parents, { state: 'DEFERRED', lane: 'l', queues: ['lane:l'] });
  const turns = [`flow:${limited}#0`];
  const holder = await store(limited, { ...waitsFor(queued._id), limitKey: '', turns });

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
