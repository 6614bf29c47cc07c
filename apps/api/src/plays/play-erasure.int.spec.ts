import type { Play } from '@weft/engine';
import { AUDIT_LOGS, PayloadStore, PLAYS, type AuditDocument } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, type Answer } from '../../../../test/api/live-api.js';
import { childOf, parkedAt, resultAt, retryOfPlay, storedFlow, storedPlays } from '../../../../test/api/stored-play.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const companyId = editor.scope.companyId;
const admin = await person('admin', companyId);
const executor = await person('flow_executor', companyId);
const storePlay = storedPlays(mongo, executor);
const flowId = await storedFlow(mongo, editor, { first: 'text-template', wait: 'wait-event' });

const plays = mongo.collection<Play>(PLAYS);
const done = { layers: [resultAt(0, 'first')], cursor: 1 };
const eventWait = (name: string) => parkedAt({ position: 1, ref: 'wait', kind: 'event', event: { name, key: null } });

async function entriesOf(playId: string): Promise<AuditDocument[]> {
  return mongo.collection<AuditDocument>(AUDIT_LOGS).find({ resource_id: playId }).sort({ _id: 1 }).toArray();
}

describe('the end of a record', () => {
  it('erases a play that has ended, once, with its outputs and an audit entry', async () => {
    const payloads = new PayloadStore(mongo);
    const playId = newId();
    const outRef = await payloads.put(admin.scope, { playId, flowId }, Buffer.from('{}'));
    const layers = [resultAt(0, 'first', { out: null, outRef })];
    await storePlay(flowId, { _id: playId, state: 'DONE', completedAt: new Date(), layers });
    expect((await editor.send('DELETE', `/api/v1/plays/${playId}`)).status).toBe(403);
    expect((await admin.send('DELETE', `/api/v1/plays/${playId}`)).status).toBe(204);
    expect(await plays.findOne({ _id: playId })).toBeNull();
    expect(await payloads.get(admin.scope, outRef)).toBeNull();
    expect(await entriesOf(playId)).toMatchObject([{ action_type: 'play_deleted', UserID: admin.userId }]);
    expect((await admin.send('DELETE', `/api/v1/plays/${playId}`)).status).toBe(404);
  });

  it('is refused while the play that waits for its end was not told', async () => {
    const play = await storePlay(flowId, { state: 'DONE', completedAt: new Date(), parentPending: true });
    const erase = () => admin.send('DELETE', `/api/v1/plays/${play._id}`);
    expect(await erase()).toMatchObject({ status: 409, body: { code: 'not_final', state: 'DONE' } });
    await plays.updateOne({ _id: play._id }, { $unset: { parentPending: 1 } });
    expect((await erase()).status).toBe(204);
  });

  it.each([
    ['a layer', { layer: 1 }],
    ['an item of a loop', { layer: 1, item: 3 }],
  ])('is refused while the play that started it by %s may still need it', async (_what, place) => {
    const parent = await storePlay(flowId, { ...done, state: 'RUN', owner: 'w' });
    const erase = async (): Promise<Answer> => {
      const of = childOf(parent, place);
      const { _id } =
        (await plays.findOne({ parentPlayId: parent._id })) ??
        (await storePlay(flowId, { state: 'DONE', completedAt: new Date(), ...of }));
      return admin.send('DELETE', `/api/v1/plays/${_id}`);
    };
    expect(await erase()).toMatchObject({ status: 409, body: { code: 'not_final', state: 'DONE' } });
    await plays.updateOne({ _id: parent._id }, { $set: { layers: [resultAt(0, 'first'), resultAt(1, 'wait')] } });
    expect((await erase()).status).toBe(204);
    await plays.updateOne({ _id: parent._id }, { $set: { ...done, state: 'FAIL' } });
    expect((await erase()).status).toBe(204);
    await plays.deleteOne({ _id: parent._id });
    expect((await erase()).status).toBe(204);
  });

  it('is refused while a retry of the play that started it may still need it, however often that was retried', async () => {
    const fail = { ...done, state: 'FAIL' } as const;
    const parent = await storePlay(flowId, fail);
    const child = await storePlay(flowId, {
      ...{ state: 'DONE', completedAt: new Date(), ...childOf(parent, { layer: 1 }) },
    });
    const erase = () => admin.send('DELETE', `/api/v1/plays/${child._id}`);
    const retry = await storePlay(flowId, { ...fail, ...retryOfPlay(parent) });
    await storePlay(flowId, { ...done, state: 'RUN', retryOf: parent._id, trigger: 'rerun' });
    const open = await storePlay(flowId, { ...done, state: 'RUN', ...retryOfPlay(retry) });
    expect(await erase()).toMatchObject({ status: 409, body: { code: 'not_final', state: 'DONE' } });
    await plays.updateOne({ _id: open._id }, { $set: { layers: [resultAt(0, 'first'), resultAt(1, 'wait')] } });
    expect((await erase()).status).toBe(204);
  });

  it('is refused for a failed play while a retry of it, however often it was retried, has not ended', async () => {
    const fail = { ...done, state: 'FAIL' } as const;
    const play = await storePlay(flowId, fail);
    const erase = (id: string) => admin.send('DELETE', `/api/v1/plays/${id}`);
    const retry = await storePlay(flowId, { ...fail, ...retryOfPlay(play) });
    const open = await storePlay(flowId, { ...done, state: 'RUN', ...retryOfPlay(retry) });
    for (const id of [play._id, retry._id]) {
      const answer = await erase(id);
      expect(answer).toMatchObject({ status: 409, body: { code: 'not_final', state: 'FAIL' } });
      expect(answer.body.detail).toContain(open._id);
    }
    await plays.updateOne({ _id: open._id }, { $set: fail });
    await storePlay(flowId, { ...done, state: 'RUN', retryOf: play._id, trigger: 'rerun' });
    for (const id of [play._id, retry._id]) expect((await erase(id)).status).toBe(204);
  });

  it('is refused while the play is open', async () => {
    const play = await storePlay(flowId, { ...done, ...eventWait('paid') });
    const answer = await admin.send('DELETE', `/api/v1/plays/${play._id}`);
    expect(answer).toMatchObject({ status: 409, body: { code: 'not_final', state: 'WAIT' } });
    expect((await (await person('admin')).send('DELETE', `/api/v1/plays/${play._id}`)).status).toBe(404);
  });
});
