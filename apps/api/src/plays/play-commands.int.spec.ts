import { SETTINGS, type Settings } from '@weft/config';
import type { Play } from '@weft/engine';
import { AUDIT_LOGS, PLAYS, type AuditDocument } from '@weft/store';
import { FLOW_VERSIONS } from '@weft/records';
import { PlaySignals } from '@weft/realtime-bus';
import { REDIS, type Redis } from '@weft/redis';
import { waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Answer, type Person } from '../../../../test/api/live-api.js';
import { parkedAt, resultAt, storedFlow, storedPlays } from '../../../../test/api/stored-play.js';

const { app, mongo, send, person } = await liveApi();
const editor = await person('flow_editor');
const companyId = editor.scope.companyId;
const admin = await person('admin', companyId);
const executor = await person('flow_executor', companyId);
const viewer = await person('viewer', companyId);
const storePlay = storedPlays(mongo, executor);
const flowId = await storedFlow(mongo, editor, {
  first: 'text-template',
  wait: 'wait-event',
  later: 'delay',
  ok: 'approval',
});

const plays = mongo.collection<Play>(PLAYS);
const stored = async (id: string): Promise<Play> => (await plays.findOne({ _id: id })) as Play;
const post = (by: Person, path: string, body: object = {}): Promise<Answer> =>
  by.send('POST', `/api/v1/${path}`, { body });
const done = { layers: [resultAt(0, 'first')], cursor: 1 };
const eventWait = (name: string, key: string | null = null) =>
  parkedAt({ position: 1, ref: 'wait', kind: 'event', event: { name, key } });

async function entriesOf(playId: string): Promise<AuditDocument[]> {
  return mongo.collection<AuditDocument>(AUDIT_LOGS).find({ resource_id: playId }).sort({ _id: 1 }).toArray();
}

describe('resume', () => {
  it('answers a layer that waits, lets the play go on, and is audited without the payload', async () => {
    const play = await storePlay(flowId, { ...done, ...eventWait('paid') });
    const answer = await post(executor, `plays/${play._id}/resume`, { ref: 'wait', payload: { $secret: 1 } });
    expect(answer).toMatchObject({ status: 200, body: { id: play._id, state: 'RUN' } });
    const after = await stored(play._id);
    expect(after).toMatchObject({ epoch: 3, inbox: { 1: { kind: 'resume', payload: { $secret: 1 } } } });
    expect(after.heartbeatAt).toBeInstanceOf(Date);
    const [entry] = await entriesOf(play._id);
    expect(entry).toMatchObject({
      action_type: 'play_resumed',
      UserID: executor.userId,
      changes: { layer: { after: 'wait' } },
    });
    expect(JSON.stringify(entry)).not.toContain('secret');
    const again = await post(executor, `plays/${play._id}/resume`, { ref: 'wait' });
    expect(again).toMatchObject({ status: 409, body: { code: 'illegal_move', state: 'RUN' } });
  });

  it('keeps an answer that comes before the layer waits', async () => {
    const play = await storePlay(flowId, { state: 'RUN', ...done });
    expect((await post(editor, `plays/${play._id}/resume`, { ref: 'later' })).body.state).toBe('RUN');
    expect(await stored(play._id)).toMatchObject({ epoch: 1, inbox: { 2: { kind: 'resume', payload: null } } });
  });

  it('refuses layers that are unknown, that wait for nothing, or that have ended', async () => {
    const play = await storePlay(flowId, { ...eventWait('paid'), ...done });
    const resume = async (ref: string) => {
      const { status, body } = await post(editor, `plays/${play._id}/resume`, { ref });
      return [status, body.code];
    };
    expect(await resume('nowhere')).toEqual([422, 'unknown_id']);
    expect(await resume('ok')).toEqual([422, 'unknown_id']);
    expect(await resume('first')).toEqual([422, 'unknown_id']);
    await plays.updateOne({ _id: play._id }, { $push: { layers: resultAt(1, 'wait') }, $set: { cursor: 2 } });
    expect(await resume('wait')).toEqual([409, 'illegal_move']);
    await plays.updateOne({ _id: play._id }, { $set: { state: 'DONE', completedAt: new Date() } });
    expect(await resume('nowhere')).toEqual([409, 'illegal_move']);
  });

  it('ends the pause before the next attempt of a layer, and hands the play out', async () => {
    const retried = await storedFlow(mongo, editor, { call: 'web-request', other: 'web-request' });
    const retry = { attempts: 3, backoff: 'fixed', delayMs: 60_000, maxDelayMs: 60_000 };
    await mongo
      .collection(FLOW_VERSIONS)
      .updateOne({ flowId: retried, version: 1 }, { $set: { 'layers.0.retry': retry } });
    const until = new Date(Date.now() + 3_600_000);
    const pause = parkedAt({ position: 0, ref: 'call', kind: 'retry', until });
    const play = await storePlay(retried, { ...pause, state: 'DEFERRED', tries: { 0: 1 }, dueAt: until });
    const resume = (ref: string) => post(executor, `plays/${play._id}/resume`, { ref });
    expect((await resume('other')).body.code).toBe('unknown_id');
    expect(await resume('call')).toMatchObject({ status: 200, body: { state: 'RUN', dueAt: null } });
    const after = await stored(play._id);
    expect(after).toMatchObject({ epoch: play.epoch + 1, tries: { 0: 1 } });
    expect(after.waits?.[0]?.until?.getTime()).toBeLessThan(until.getTime());
    expect(after).not.toHaveProperty('inbox');
    expect(await entriesOf(play._id)).toMatchObject([{ action_type: 'play_resumed', UserID: executor.userId }]);
    expect(await resume('call')).toMatchObject({ status: 409, body: { code: 'illegal_move', state: 'RUN' } });
  });

  it('is for who started the play, and for editors', async () => {
    const play = await storePlay(flowId, { ...done, ...eventWait('paid'), triggeredBy: editor.userId });
    expect((await post(executor, `plays/${play._id}/resume`, { ref: 'wait' })).body.code).toBe('denied');
    expect((await post(viewer, `plays/${play._id}/resume`, { ref: 'wait' })).status).toBe(403);
    const stranger = await person('admin');
    expect((await post(stranger, `plays/${play._id}/resume`, { ref: 'wait' })).status).toBe(404);
    expect((await post(executor, `plays/${play._id}/resume`, {})).body.code).toBe('invalid_body');
  });

  it('refuses a payload over 512 KB', async () => {
    const play = await storePlay(flowId, { ...done, ...eventWait('paid') });
    const answer = await post(executor, `plays/${play._id}/resume`, { ref: 'wait', payload: 'x'.repeat(524_287) });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_body', errors: [{ path: 'payload' }] } });
  });
});

describe('approvals', () => {
  const asks = (approvers: readonly string[] = []): Partial<Play> => ({
    layers: [resultAt(0, 'first'), resultAt(1, 'wait'), resultAt(2, 'later')],
    cursor: 3,
    ...parkedAt({
      position: 3,
      ref: 'ok',
      kind: 'approval',
      approval: { message: 'May it?', approvers, onTimeout: 'fail' },
    }),
  });
  const approve = (by: Person, play: Play, body: object = { decision: 'approve' }) =>
    post(by, `plays/${play._id}/approvals/ok`, body);

  it('are decided by whom they name, once, and the decision is given out and audited', async () => {
    const play = await storePlay(flowId, asks([viewer.userId]));
    const answer = await approve(viewer, play, { decision: 'reject', comment: 'too dear' });
    expect(answer).toMatchObject({ status: 200, body: { state: 'RUN' } });
    expect(await stored(play._id)).toMatchObject({
      inbox: { 3: { kind: 'approval', decision: 'reject', by: viewer.userId, comment: 'too dear' } },
    });
    expect(await entriesOf(play._id)).toMatchObject([
      {
        action_type: 'approval_decided',
        UserID: viewer.userId,
        reason: 'too dear',
        changes: { ok: { before: null, after: 'reject' } },
      },
    ]);
    expect(await approve(viewer, play)).toMatchObject({ status: 409, body: { code: 'illegal_move' } });
  });

  it('name groups as well', async () => {
    const member = await person('viewer', companyId);
    const groupId = newId();
    await mongo
      .collection('users')
      .updateOne({ _id: member.userId as never }, { $set: { 'company_roles.0.group_ids': [groupId] } });
    expect((await approve(member, await storePlay(flowId, asks([groupId])))).status).toBe(200);
  });

  it('that name somebody are kept from everybody else but admins', async () => {
    const play = await storePlay(flowId, asks([viewer.userId]));
    expect((await approve(editor, play)).body.code).toBe('denied');
    expect((await approve(admin, play)).status).toBe(200);
  });

  it('that name nobody are for editors', async () => {
    const play = await storePlay(flowId, asks());
    expect((await approve(executor, play)).body.code).toBe('denied');
    expect((await approve(editor, play)).status).toBe(200);
  });

  it('are not decided before they are asked for, nor where there is none', async () => {
    const play = await storePlay(flowId, { ...done, ...eventWait('paid') });
    expect((await approve(editor, play)).body.code).toBe('illegal_move');
    const missing = await post(editor, `plays/${play._id}/approvals/nowhere`, { decision: 'approve' });
    expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await approve(editor, play, { decision: 'perhaps' })).body.code).toBe('invalid_body');
    expect((await post(editor, `plays/${play._id}/resume`, { ref: 'ok' })).body.code).toBe('unknown_id');
  });
});

describe('events', () => {
  it('reach every play that waits for them, with any key or with theirs', async () => {
    const name = `paid-${newId()}`;
    const any = await storePlay(flowId, { ...done, ...eventWait(name) });
    const keyed = await storePlay(flowId, { ...done, ...eventWait(name, 'k1') });
    const other = await storePlay(flowId, { ...done, ...eventWait(name, 'k2') });
    const held = await storePlay(flowId, { ...done, ...eventWait(name, 'k1'), state: 'ON_HOLD', held: 'WAIT' });
    const answer = await post(executor, 'events', { name, key: 'k1', payload: { $where: 'x', $ref: 'y' } });
    expect(answer).toMatchObject({ status: 202, body: { matched: 3 } });
    for (const { _id } of [any, keyed]) {
      const { state, inbox } = await stored(_id);
      expect(state).toBe('RUN');
      expect(inbox).toMatchObject({ 1: { kind: 'event', payload: { $where: 'x', $ref: 'y' } } });
      const { receivedAt } = inbox?.[1] as { receivedAt: string };
      expect(new Date(receivedAt).toISOString()).toBe(receivedAt);
    }
    expect(await stored(held._id)).toMatchObject({ state: 'ON_HOLD', held: 'RUN', inbox: { 1: { kind: 'event' } } });
    expect((await stored(other._id)).state).toBe('WAIT');
    expect(await entriesOf(any._id)).toEqual([]);
    expect((await post(executor, 'events', { name })).body.matched).toBe(0);
  });

  it('are taken once by a play for which two come at the same time', async () => {
    const name = `twice-${newId()}`;
    await Promise.all(Array.from({ length: 20 }, () => storePlay(flowId, { ...done, ...eventWait(name) })));
    const answers = await Promise.all([1, 2].map((n) => post(executor, 'events', { name, payload: n })));
    const matched = answers.map(({ body }) => Number(body.matched));
    expect((matched[0] ?? 0) + (matched[1] ?? 0)).toBe(20);
    const taken = await plays.find({ company_id: companyId, 'waits.1.event.name': name }).toArray();
    expect(taken.map(({ epoch }) => epoch)).toEqual(Array<number>(20).fill(3));
    const firsts = taken.filter(({ inbox }) => (inbox?.[1] as { payload: unknown }).payload === 1);
    expect(firsts).toHaveLength(matched[0] ?? 0);
  });

  it('stay within the company', async () => {
    const name = `mine-${newId()}`;
    const play = await storePlay(flowId, { ...done, ...eventWait(name) });
    const stranger = await person('admin');
    expect((await post(stranger, 'events', { name })).body.matched).toBe(0);
    expect((await stored(play._id)).state).toBe('WAIT');
  });

  it('reach all plays of flows that its user may run when a token has nothing but flow:execute', async () => {
    const name = `own-${newId()}`;
    const restricted = textOf((await post(admin, 'flows', { name: 'r', restricted: true })).body.id);
    const open = await storePlay(flowId, { ...done, ...eventWait(name), triggeredBy: admin.userId });
    const closed = await storePlay(restricted, { ...done, ...eventWait(name) });
    const body = { name: 'events', scope: 'flow:execute', user_id: executor.userId };
    const key = await post(admin, 'admin/api-keys', body);
    const headers = { authorization: `Bearer ${textOf(key.body.token)}` };
    const answer = await send('POST', '/api/v1/events', { body: { name }, headers });
    expect(answer).toMatchObject({ status: 202, body: { matched: 1 } });
    expect([(await stored(open._id)).state, (await stored(closed._id)).state]).toEqual(['RUN', 'WAIT']);
  });

  it('are for executors, and have a name of one line', async () => {
    expect((await post(viewer, 'events', { name: 'paid' })).status).toBe(403);
    for (const body of [{}, { name: '' }, { name: 'a\nb' }, { name: 'a', key: 'b\nc' }, { name: 'a', more: 1 }]) {
      expect([body, (await post(executor, 'events', body)).status]).toEqual([body, 400]);
    }
  });
});

it('a command tells whoever runs the play to read it again', async () => {
  const heard: string[] = [];
  const stop = app.get(PlaySignals).subscribe((playId) => heard.push(playId));
  const channel = `${app.get<Settings>(SETTINGS).queue.prefix}:signals`;
  const listeners = async () => (await app.get<Redis>(REDIS).call('PUBSUB', 'NUMSUB', channel)) as unknown[];
  await waitFor(async () => (await listeners())[1] === 1, { what: 'the subscription' });
  const one = await storePlay(flowId, { state: 'RUN', owner: 'w' });
  const many = [await storePlay(flowId, { state: 'RUN', owner: 'w' }), await storePlay(flowId)];
  await post(editor, `plays/${one._id}/hold`);
  await post(editor, 'plays/bulk', { action: 'cancel', ids: many.map(({ _id }) => _id) });
  const all = [one, ...many].map(({ _id }) => _id);
  await waitFor(() => all.every((id) => heard.includes(id)), { what: 'the signals' });
  stop();
});

describe('a flow that is restricted', () => {
  const grant = async (to: Person, resource_id: string, permissions: readonly string[]) => {
    const body = { resource_type: 'flow', resource_id, grant_type: 'user', grantee_id: to.userId, permissions };
    expect((await post(admin, 'access/grant', body)).status).toBeLessThan(300);
  };

  it('is read by who has a grant to read it, and its plays are commanded by who may edit it', async () => {
    const reader = await person('flow_editor', companyId);
    const secret = await storedFlow(mongo, admin, { wait: 'wait-event', ok: 'approval' }, { restricted: true });
    const storeBy = storedPlays(mongo, admin);
    const approval = { message: 'May it?', approvers: [], onTimeout: 'fail' } as const;
    const asks = parkedAt({ position: 1, ref: 'ok', kind: 'approval', approval });
    const play = await storeBy(secret, {
      ...asks,
      layers: [resultAt(0, 'wait')],
      cursor: 1,
      lane: 'pay',
      turns: ['lane:pay#0'],
    });
    const calls = [
      [`plays/${play._id}/approvals/ok`, { decision: 'approve' }],
      [`plays/${play._id}/resume`, { ref: 'ok', payload: { forged: true } }],
      [`plays/${play._id}/hold`, {}],
      [`plays/${play._id}/cancel`, {}],
      [`plays/${play._id}/retry`, {}],
      ['lanes/pay/skip', {}],
    ] as const;
    await grant(reader, secret, ['read', 'execute']);
    for (const [path, body] of calls)
      expect([path, (await post(reader, path, body)).body.code]).toEqual([path, 'denied']);
    const cancel = { action: 'cancel', ids: [play._id] };
    expect((await post(reader, 'plays/bulk', cancel)).body).toMatchObject({ matched: 1, changed: 0, skipped: 1 });
    const inbox = async (query = '') => {
      const { items } = (await reader.send('GET', `/api/v1/approvals${query}`)).body;
      return Object.values(items ?? {}).filter(({ playId }) => textOf(playId) === play._id);
    };
    const shown = { playId: play._id, mayDecide: false };
    expect(await inbox()).toMatchObject([shown]);
    expect(await inbox('?mine=true')).toEqual([]);
    expect((await reader.send('GET', `/api/v1/plays/${play._id}/approvals`)).body.items).toMatchObject([
      { mayDecide: false, approveUrl: null },
    ]);
    await grant(reader, secret, ['read', 'edit']);
    expect(await inbox('?mine=true')).toMatchObject([{ ...shown, mayDecide: true }]);
    expect((await post(reader, ...calls[0])).status).toBe(200);
    expect((await post(reader, 'plays/bulk', cancel)).body).toMatchObject({ changed: 1 });
  });

  it('is not counted by who may not read it', async () => {
    const secret = await storedFlow(mongo, admin, { ok: 'approval' }, { restricted: true });
    const { _id } = await storedPlays(mongo, admin)(secret);
    for (const action of ['cancel', 'retry'] as const) {
      const body = { action, ids: [_id] };
      const nothing = { matched: 0, changed: 0, skipped: 0 };
      expect((await post(editor, 'plays/bulk', body)).body).toEqual(nothing);
      expect((await post(editor, 'plays/bulk', { ...body, dryRun: true })).body).toEqual(nothing);
    }
  });
});
