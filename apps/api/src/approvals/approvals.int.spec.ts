import { SETTINGS, type Settings } from '@weft/config';
import type { LayerWait, Play } from '@weft/engine';
import { ApprovalLinks } from '@weft/identity';
import { AUDIT_LOGS, PLAYS, type AuditDocument } from '@weft/store';
import { USERS, type UserDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../test/api/live-api.js';
import { parkedAt, resultAt, storedFlow, storedPlays } from '../../../../test/api/stored-play.js';

const { app, mongo, send, person } = await liveApi();
const editor = await person('flow_editor');
const { companyId } = editor.scope;
const viewer = await person('viewer', companyId);
const stranger = await person('admin');
const storePlay = storedPlays(mongo, editor);
const flowId = await storedFlow(mongo, editor, { first: 'text-template', ok: 'approval' }, { name: 'Payments' });
const plays = mongo.collection<Play>(PLAYS);
const links = new ApprovalLinks(app.get<Settings>(SETTINGS));

const asked = (fields: Partial<NonNullable<LayerWait['approval']>> = {}): Promise<Play> => {
  const approval = { message: 'Pay <b>7</b>?', approvers: [], onTimeout: 'fail', ...fields } as const;
  return storePlay(flowId, {
    ...{ layers: [resultAt(0, 'first')], cursor: 1 },
    ...parkedAt({ position: 1, ref: 'ok', kind: 'approval', approval }),
  });
};
const tokenFor = ({ _id }: Pick<Play, '_id'>, approver: string | null = null): string =>
  links.urlOf({ companyId, playId: _id, ref: 'ok', approver }).split('#')[1] ?? '';
type Sender = Pick<Person, 'send'>;
const read = (token: string, by: Sender = { send }) =>
  by.send('POST', '/api/v1/approval-links/read', { body: { token } });
const decide = (token: string, by: Sender = { send }, body: object = { decision: 'approve' }) =>
  by.send('POST', '/api/v1/approval-links/decide', { body: { token, ...body } });
const answerOf = async ({ _id }: Play): Promise<unknown> => (await plays.findOne({ _id }))?.inbox?.[1] ?? null;
const entriesOf = (playId: string) =>
  mongo.collection<AuditDocument>(AUDIT_LOGS).find({ resource_id: playId }).toArray();

describe('the open approvals of a play', () => {
  it('are shown with what is asked, and with a link for who may decide them', async () => {
    const play = await asked({ approvers: [viewer.userId], link: 'holder' });
    const list = async (by: Person) => (await by.send('GET', `/api/v1/plays/${play._id}/approvals`)).body;
    const shown = {
      ref: 'ok',
      message: 'Pay <b>7</b>?',
      approvers: [viewer.userId],
      onTimeout: 'fail',
      link: 'holder',
    };
    expect(await list(editor)).toMatchObject({ items: [{ ...shown, mayDecide: false, approveUrl: null }] });
    const { items } = await list(viewer);
    expect(items).toMatchObject([{ ...shown, until: null, mayDecide: true }]);
    const token = textOf(items?.[0]?.approveUrl).split('#')[1] ?? '';
    expect(links.read(token)).toEqual({ companyId, playId: play._id, ref: 'ok', approver: viewer.userId });
    expect((await decide(token)).status).toBe(200);
    expect(await list(viewer)).toEqual({ items: [] });
    expect((await stranger.send('GET', `/api/v1/plays/${play._id}/approvals`)).status).toBe(404);
  });

  it('give no link to a key that may only read', async () => {
    const play = await asked();
    const admin = await person('admin', companyId);
    const linkFor = async (scope: string) => {
      const { body } = await admin.send('POST', '/api/v1/admin/api-keys', { body: { name: 'k', scope } });
      const headers = { authorization: `Bearer ${textOf(body.token)}` };
      return (await send('GET', `/api/v1/plays/${play._id}/approvals`, { headers })).body.items?.[0]?.approveUrl;
    };
    expect(await linkFor('api:read')).toBeNull();
    expect(textOf(await linkFor('api:plays'))).toContain('/approve#');
  });
});

describe('an approval of one step of an agent', () => {
  it('is decided by its step: what was seen before is not taken for what is asked now', async () => {
    const play = await asked();
    await plays.updateOne({ _id: play._id }, { $set: { 'waits.1.step': 3 } });
    const list = await editor.send('GET', `/api/v1/plays/${play._id}/approvals`);
    expect(list.body).toMatchObject({ items: [{ ref: 'ok', step: 3 }] });
    const path = `/api/v1/plays/${play._id}/approvals/ok`;
    for (const step of [2, undefined]) {
      const answer = await editor.send('POST', path, { body: { decision: 'approve', step } });
      expect(answer).toMatchObject({ status: 409, body: { code: 'illegal_move' } });
    }
    const token = textOf(list.body.items?.[0]?.approveUrl).split('#')[1] ?? '';
    await plays.updateOne({ _id: play._id }, { $set: { 'waits.1.step': 4 } });
    expect((await read(token, editor)).body).toMatchObject({ standing: 'decided', mayDecide: false });
    expect((await decide(token, editor)).status).toBe(409);
    expect(await answerOf(play)).toBeNull();
    expect((await editor.send('POST', path, { body: { decision: 'approve', step: 4 } })).status).toBe(200);
    expect(await answerOf(play)).toMatchObject({ decision: 'approve', step: 4 });
  });
});

describe('the page of a link', () => {
  it('is the same for all, changes nothing, and lets nothing from elsewhere in', async () => {
    const page = await send('GET', '/approve');
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'sha256-.*frame-ancestors 'none'$/,
    );
    expect((await send('GET', '/approve?token=x')).status).toBe(400);
    for (const path of ['read', 'decide']) {
      expect((await send('GET', `/api/v1/approval-links/${path}`)).status).toBe(405);
    }
  });
});

describe('a link of an approval that asks for a sign-in', () => {
  it('tells and decides nothing without one', async () => {
    const play = await asked();
    const untold = { standing: 'open', needsSignIn: true, mayDecide: false, message: null, flow: null };
    expect((await read(tokenFor(play))).body).toMatchObject(untold);
    expect(await decide(tokenFor(play))).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect((await read(tokenFor(play, editor.userId))).body).toMatchObject(untold);
    expect((await decide(tokenFor(play, editor.userId))).status).toBe(401);
    expect(await answerOf(play)).toBeNull();
  });

  it('decides as whoever is signed in and may, once, and is audited', async () => {
    const play = await asked();
    expect((await read(tokenFor(play), viewer)).body).toMatchObject({ mayDecide: false, message: null });
    expect((await decide(tokenFor(play), viewer)).body.code).toBe('denied');
    expect(await decide(tokenFor(play), stranger)).toMatchObject({ status: 404 });
    const open = { standing: 'open', mayDecide: true, message: 'Pay <b>7</b>?', flow: 'Payments' };
    expect((await read(tokenFor(play), editor)).body).toMatchObject({
      ...open,
      decidesAs: `${editor.userId}@weft.test`,
    });
    const answer = await decide(tokenFor(play), editor, { decision: 'reject', comment: 'too dear' });
    expect(answer).toMatchObject({ status: 200, body: { standing: 'decided', message: null } });
    expect(await answerOf(play)).toMatchObject({ decision: 'reject', by: editor.userId, comment: 'too dear' });
    expect(await decide(tokenFor(play), editor)).toMatchObject({ status: 409, body: { code: 'illegal_move' } });
    const changes = { ok: { before: null, after: 'reject' }, decided_by: { before: null, after: 'link of the user' } };
    expect(await entriesOf(play._id)).toMatchObject([
      { action_type: 'approval_decided', UserID: editor.userId, changes },
    ]);
  });

  it('is of no use to a page of another site', async () => {
    const play = await asked();
    const body = { token: tokenFor(play), decision: 'approve' };
    const headers = { host: 'weft.test', origin: 'https://evil.example' };
    const path = '/api/v1/approval-links/decide';
    expect((await editor.send('POST', path, { headers, body })).body.code).toBe('cross_site');
    expect(await send('POST', path, { body: 'token=x', headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 415,
    });
    expect(await answerOf(play)).toBeNull();
  });
});

describe('a link that is enough by itself', () => {
  it('decides without anybody being signed in, and says so', async () => {
    const play = await asked({ link: 'holder' });
    expect((await read(tokenFor(play))).body).toMatchObject({ mayDecide: true, decidesAs: null, flow: 'Payments' });
    expect((await decide(tokenFor(play))).body).toMatchObject({ standing: 'decided' });
    expect(await answerOf(play)).toMatchObject({ kind: 'approval', decision: 'approve', by: 'link', comment: null });
    const [entry] = await entriesOf(play._id);
    expect(entry).toMatchObject({ UserID: null, changes: { decided_by: { after: 'holder of the link' } } });
    expect(entry?.UserIPAddress).not.toBeNull();
    expect((await decide(tokenFor(play))).status).toBe(409);
  });

  it('of one approver decides as that one, while that one may', async () => {
    const named = await person('viewer', companyId);
    const play = await asked({ link: 'holder', approvers: [named.userId] });
    expect((await decide(tokenFor(play, viewer.userId))).body.code).toBe('denied');
    await mongo.collection<UserDocument>(USERS).updateOne({ _id: named.userId }, { $set: { company_roles: [] } });
    expect((await decide(tokenFor(play, named.userId))).status).toBe(404);
    const role = { company_id: companyId, role: 'viewer' as const, group_ids: [] };
    await mongo.collection<UserDocument>(USERS).updateOne({ _id: named.userId }, { $set: { company_roles: [role] } });
    expect((await read(tokenFor(play, named.userId))).body).toMatchObject({ decidesAs: `${named.userId}@weft.test` });
    expect((await decide(tokenFor(play, named.userId))).status).toBe(200);
    expect(await answerOf(play)).toMatchObject({ by: named.userId });
  });
});

describe('a link whose approval is not open', () => {
  it('says whether it is too early or too late, and what is no link opens nothing', async () => {
    const early = await storePlay(flowId, { state: 'RUN' });
    const ended = await storePlay(flowId, { state: 'FAIL', completedAt: new Date() });
    const decided = await storePlay(flowId, { state: 'RUN', layers: [resultAt(1, 'ok')], cursor: 2 });
    for (const [play, standing] of [
      [early, 'not_yet'],
      [ended, 'ended'],
      [decided, 'decided'],
    ] as const) {
      expect((await read(tokenFor(play))).body).toMatchObject({ standing, mayDecide: false, message: null });
      expect(await decide(tokenFor(play))).toMatchObject({ status: 409, body: { code: 'illegal_move' } });
    }
    for (const token of ['x', `${tokenFor(early)}A`, tokenFor({ _id: 'gone' })]) {
      expect(await read(token)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect((await decide(token)).status).toBe(404);
    }
  });
});
