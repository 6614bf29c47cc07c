import type { Play } from '@weft/engine';
import { CallBackLinks } from '@weft/identity';
import { KEPT_EVENTS, KeptEventsRepository, type KeptEventDocument } from '@weft/records';
import { EventDelivery, ScheduledRunAuthorizer } from '@weft/runs';
import { PAYLOAD_FILES, PLAYS, playKeyOf } from '@weft/store';
import { describe, expect, it, vi } from 'vitest';
import { liveApi, newId, textOf, type Answer, type Person } from '../../../../test/api/live-api.js';
import { parkedAt, resultAt, retryOfPlay, storedFlow, storedPlays } from '../../../../test/api/stored-play.js';

const { app, mongo, send, person } = await liveApi();
const editor = await person('flow_editor');
const admin = await person('admin', editor.scope.companyId);
const executor = await person('flow_executor', editor.scope.companyId);
const storePlay = storedPlays(mongo, executor);
const flowId = await storedFlow(mongo, editor, { first: 'text-template', wait: 'wait-event', other: 'delay' });
const delivery = app.get(EventDelivery, { strict: false });
const links = app.get(CallBackLinks, { strict: false });

const plays = mongo.collection<Play>(PLAYS);
const kept = mongo.collection<KeptEventDocument>(KEPT_EVENTS);
const stored = async ({ _id }: Pick<Play, '_id'>): Promise<Play> => (await plays.findOne({ _id })) as Play;
const sendEvent = (by: Person, body: object): Promise<Answer> => by.send('POST', '/api/v1/events', { body });
const done = { layers: [resultAt(0, 'first')], cursor: 1 };
const waitsFor = (name: string, key: string | null = null) => ({
  ...done,
  ...parkedAt({ position: 1, ref: 'wait', kind: 'event', event: { name, key } }),
});
/** As a worker does: the write by which the play waits, then the look. */
async function beginsToWait(of: string, fields: object): Promise<Play> {
  const play = await storePlay(of, fields);
  await delivery.look(playKeyOf(play));
  return play;
}
const answerOf = async (play: Play): Promise<unknown> => {
  const { inbox } = await stored(play);
  return (inbox?.[1] as { payload?: unknown } | undefined)?.payload;
};

describe('an event that is kept', () => {
  it('goes to the first play that begins to wait for its name and key, once', async () => {
    const name = `early-${newId()}`;
    const sent = await sendEvent(executor, { name, key: 'a', payload: { id: 7615917337495251231n }, ttlMs: 60_000 });
    expect(sent).toMatchObject({ status: 202, body: { matched: 0, kept: true } });
    const other = await beginsToWait(flowId, waitsFor(name, 'b'));
    const first = await beginsToWait(flowId, waitsFor(name, 'a'));
    const second = await beginsToWait(flowId, waitsFor(name));
    expect([other, first, second].map(({ state }) => state)).toEqual(['WAIT', 'WAIT', 'WAIT']);
    expect((await Promise.all([other, first, second].map(stored))).map(({ state }) => state)).toEqual([
      ...['WAIT', 'RUN', 'WAIT'],
    ]);
    expect(await stored(first)).toMatchObject({ epoch: first.epoch + 1, inbox: { 1: { kind: 'event' } } });
    expect(await kept.countDocuments({ name })).toBe(0);
  });

  it('is for those that wait already, and then is not kept', async () => {
    const name = `late-${newId()}`;
    const waiting = await Promise.all([1, 2, 3].map(() => storePlay(flowId, waitsFor(name))));
    const sent = await sendEvent(executor, { name, payload: 1, ttlMs: 60_000 });
    expect(sent.body).toMatchObject({ matched: 3, kept: false });
    expect(await Promise.all(waiting.map(answerOf))).toEqual([1, 1, 1]);
    expect(await answerOf(await beginsToWait(flowId, waitsFor(name)))).toBeUndefined();
  });

  it('is had by a play that begins to wait as it arrives, whichever is first', async () => {
    const name = `both-${newId()}`;
    const keys = Array.from({ length: 40 }, (_, i) => `k${i}`);
    const sentFor = (key: string) => sendEvent(executor, { name, key, payload: key, ttlMs: 60_000 });
    // each pair begins with the other one
    const pairs = keys.map(async (key, i) => {
      const sent = i % 2 === 0 ? sentFor(key) : null;
      const play = beginsToWait(flowId, waitsFor(name, key));
      const answer = await (sent ?? sentFor(key));
      return { key, play: await play, answer };
    });
    for (const { key, play, answer } of await Promise.all(pairs)) {
      expect([key, await answerOf(play), (await stored(play)).epoch]).toEqual([key, key, play.epoch + 1]);
      // taken by the sender, or by the worker when the sender had its answer already
      const { matched, kept: isKept } = answer.body as unknown as { matched: number; kept: boolean };
      expect(matched + (isKept ? 1 : 0)).toBe(1);
    }
    expect(await kept.countDocuments({ name })).toBe(0);
  });

  it('is taken by one of two plays that begin to wait together', async () => {
    const name = `one-${newId()}`;
    for (let round = 0; round < 10; round += 1) {
      const key = String(round);
      await sendEvent(executor, { name, key, payload: round, ttlMs: 60_000 });
      const two = await Promise.all([1, 2].map(() => beginsToWait(flowId, waitsFor(name, key))));
      const answers = await Promise.all(two.map(answerOf));
      expect(answers.filter((each) => each !== undefined)).toEqual([round]);
    }
  });

  it('is found by the scheduler for a play whose worker crashed before it looked', async () => {
    const name = `crash-${newId()}`;
    await sendEvent(executor, { name, payload: 'here', ttlMs: 60_000 });
    const play = await storePlay(flowId, waitsFor(name));
    await delivery.repair(new AbortController().signal);
    expect(await answerOf(play)).toBe('here');
    await delivery.repair(new AbortController().signal);
    expect((await stored(play)).epoch).toBe(play.epoch + 1);
  });

  it('is not given when its time is over', async () => {
    const name = `old-${newId()}`;
    await sendEvent(executor, { name, payload: 1, ttlMs: 60_000 });
    await kept.updateMany({ name }, { $set: { keep_until: new Date(0) } });
    expect(await answerOf(await beginsToWait(flowId, waitsFor(name)))).toBeUndefined();
  });

  it('reaches plays of flows that its sender may execute, of this company', async () => {
    const name = `reach-${newId()}`;
    const secret = await storedFlow(mongo, admin, { first: 'text-template', wait: 'wait-event' }, { restricted: true });
    await sendEvent(executor, { name, payload: 'of an executor', ttlMs: 60_000 });
    const stranger = await person('admin');
    const foreign = storedPlays(mongo, stranger);
    const foreignFlow = await storedFlow(mongo, stranger, { first: 'text-template', wait: 'wait-event' });
    const closed = await beginsToWait(secret, waitsFor(name));
    const others = await foreign(foreignFlow, waitsFor(name));
    await delivery.look(playKeyOf(others));
    expect([await answerOf(closed), await answerOf(others)]).toEqual([undefined, undefined]);
    await sendEvent(admin, { name, payload: 'of an admin', ttlMs: 60_000 });
    expect(await answerOf(closed)).toBe('of an admin');
    expect(await answerOf(await beginsToWait(flowId, waitsFor(name)))).toBe('of an executor');
    // a session of an executor reaches no more than a key does
    const again = await storePlay(secret, waitsFor(`${name}-2`));
    expect((await sendEvent(executor, { name: `${name}-2` })).body.matched).toBe(0);
    expect((await stored(again)).state).toBe('WAIT');
  });

  it('is offered one at a time, and a sender who may not execute the flow is judged once', async () => {
    const name = `many-${newId()}`;
    const takes = vi.spyOn(app.get(KeptEventsRepository, { strict: false }), 'take');
    const judges = vi.spyOn(ScheduledRunAuthorizer.prototype, 'mayExecute');
    const secret = await storedFlow(mongo, admin, { first: 'text-template', wait: 'wait-event' }, { restricted: true });
    for (let i = 0; i < 25; i += 1) await sendEvent(executor, { name, payload: i, ttlMs: 60_000 });
    await sendEvent(admin, { name, payload: 'of an admin', ttlMs: 60_000 });
    judges.mockClear();
    expect(await answerOf(await beginsToWait(secret, waitsFor(name)))).toBe('of an admin');
    expect([takes.mock.calls.length, judges.mock.calls.length]).toEqual([1, 2]);
    expect(await answerOf(await beginsToWait(flowId, waitsFor(name)))).toBe(0);
    expect([takes.mock.calls.length, judges.mock.calls.length]).toEqual([2, 3]);
    vi.restoreAllMocks();
    await kept.deleteMany({ name });
  });

  it('gives its room back when its time is over, and its id is known for a day when a play has taken it', async () => {
    const name = `id-${newId()}`;
    const id = `hook:${name}`;
    const { companyId } = executor.scope;
    const { userId } = executor;
    const sent = () =>
      delivery.send({
        ...{ companyId, name, key: null, payload: 1, reaches: delivery.reachOf(companyId, userId) },
        keep: { ttlMs: 60_000, sentBy: userId, id },
      });
    expect(await sent()).toEqual({ matched: 0, kept: true, replayed: false });
    const open = (await kept.findOne({ _id: id })) as KeptEventDocument;
    expect(open.expires_at).toEqual(open.keep_until);
    expect(await answerOf(await beginsToWait(flowId, waitsFor(name)))).toBe(1);
    const mark = (await kept.findOne({ _id: id })) as KeptEventDocument;
    expect(mark.expires_at.getTime() - mark.received_at.getTime()).toBe(86_400_000);
    expect(await sent()).toEqual({ matched: 0, kept: false, replayed: true });
  });

  it('is refused beyond seven days, and beyond what a company may keep', async () => {
    const name = `full-${newId()}`;
    expect((await sendEvent(executor, { name, ttlMs: 604_800_001 })).status).toBe(400);
    const { companyId } = executor.scope;
    const at = new Date(Date.now() + 3_600_000);
    const filler = { company_id: companyId, name, key: 'x', payload: '1', bytes: 64 * 1024 * 1024, sent_by: 'u' };
    await kept.insertOne({
      ...{ _id: newId(), ...filler, open: true, received_at: new Date(), keep_until: at, expires_at: at },
    });
    const full = await sendEvent(executor, { name, ttlMs: 1_000 });
    expect(full).toMatchObject({ status: 429, body: { code: 'kept_events_full' } });
    const stranger = await person('admin');
    expect((await sendEvent(stranger, { name, ttlMs: 1_000 })).body).toMatchObject({ kept: true });
    await kept.deleteMany({ name });
  });
});

describe('a call to the address of a play', () => {
  const pathOf = (play: Play, ref = 'wait'): string =>
    new URL(links.urlOf({ companyId: play.company_id, firstPlayId: play.chain?.first ?? play._id, ref })).pathname;
  const call = (path: string, body: string | object = { paid: true }, headers = {}): Promise<Answer> =>
    send('POST', path, { body, headers });

  it('answers its wait once', async () => {
    const play = await storePlay(flowId, waitsFor('paid'));
    expect(await call(pathOf(play))).toMatchObject({ status: 202, body: { matched: 1, kept: false } });
    expect(await answerOf(play)).toEqual({ paid: true });
    expect((await stored(play)).state).toBe('RUN');
    expect(await call(pathOf(play))).toMatchObject({ status: 410, body: { code: 'call_back_over' } });
  });

  it('keeps no file of a call that comes too late', async () => {
    const play = await storePlay(flowId, waitsFor('paid'));
    const files = mongo.collection(PAYLOAD_FILES);
    expect((await call(pathOf(play))).status).toBe(202);
    const form = '--b\r\ncontent-disposition: form-data; name=a; filename="a.txt"\r\n\r\nA\r\n--b--';
    const before = await files.countDocuments();
    const late = await call(pathOf(play), form, { 'content-type': 'multipart/form-data; boundary=b' });
    expect(late).toMatchObject({ status: 410, body: { code: 'call_back_over' } });
    expect(await files.countDocuments()).toBe(before);
  });

  it('is kept in the play when it comes before the play waits, and is one of many that come at once', async () => {
    const play = await storePlay(flowId, { state: 'RUN', ...done });
    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => call(pathOf(play), { n })));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 410, 410, 410, 410]);
    const first = answers.findIndex(({ status }) => status === 202) + 1;
    expect(await answerOf(play)).toEqual({ n: first });
  });

  it('is for the retry of the play, and for no layer that waits for something else', async () => {
    const failed = await storePlay(flowId, { ...done, state: 'FAIL', completedAt: new Date() });
    expect((await call(pathOf(failed))).status).toBe(410);
    const retry = await storePlay(flowId, { ...waitsFor('paid'), ...retryOfPlay(failed) });
    expect(pathOf(retry)).toBe(pathOf(failed));
    expect(
      (await call(pathOf(failed), 'a=1&b=%C3%A9', { 'content-type': 'application/x-www-form-urlencoded' })).status,
    ).toBe(202);
    expect(await answerOf(retry)).toEqual({ a: '1', b: 'é' });
    expect((await call(pathOf(retry, 'other'))).status).toBe(410);
  });

  it('needs the whole address', async () => {
    const play = await storePlay(flowId, waitsFor('paid'));
    const path = pathOf(play);
    for (const wrong of [path.slice(0, -1), `${path}A`, '/hooks/plays/x', '/hooks/plays/x.y'])
      expect(await call(wrong)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const { body } = await call(`${path}x`);
    expect(textOf(body.instance)).toBe('/hooks/[token]');
    expect((await stored(play)).state).toBe('WAIT');
  });
});
