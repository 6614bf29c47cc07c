import { endWrite, type Play } from '@weft/engine';
import { AUDIT_LOGS, MongoPlayStore, PLAYS, playKeyOf, type AuditDocument } from '@weft/store';
import { FLOWS } from '@weft/records';
import { TurnKeeper } from '@weft/queue';
import { PlayChanges, PlayCommands } from '@weft/runs';
import { waitFor } from '@weft/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Json, type Person } from '../../../../test/api/live-api.js';
import { storedFlow } from '../../../../test/api/stored-play.js';

const { app, mongo, person } = await liveApi();
const store = app.get(MongoPlayStore, { strict: false });
const changes = app.get(PlayChanges, { strict: false });
const keeper = app.get(TurnKeeper, { strict: false });
const plays = mongo.collection<Play>(PLAYS);

let editor: Person;
let viewer: Person;
let flowId: string;

beforeEach(async () => {
  editor = await person('flow_editor');
  viewer = await person('viewer', editor.scope.companyId);
  flowId = await flowWith({});
});

const flowWith = (settings: object, layers: Readonly<Record<string, string>> = { call: 'web-request' }) =>
  storedFlow(mongo, editor, layers, { settings });
const laneOf = (lane: string, by: Person = editor) => by.send('GET', `/api/v1/lanes/${encodeURIComponent(lane)}`);
const skip = (lane: string, body?: object, by: Person = editor) =>
  by.send('POST', `/api/v1/lanes/${encodeURIComponent(lane)}/skip`, { body });
const run = (body: object, of = flowId) => editor.send('POST', `/api/v1/flows/${of}/run`, { body });
const runIn = async (lane: string, of = flowId): Promise<string> => textOf((await run({ lane }, of)).body.playId);
const stored = async (playId: string): Promise<Play> => {
  const play = await plays.findOne({ _id: playId });
  if (!play) throw new Error(`play ${playId} is gone`);
  return play;
};

async function headOf(lane: string, playId: string | null): Promise<Json> {
  let seen: Json = {};
  await waitFor(
    async () => {
      seen = (await laneOf(lane)).body;
      const hasTurn = seen.head !== null && textOf(seen.head?.state) !== 'DEFERRED';
      return (hasTurn ? textOf(seen.head?.playId) : null) === playId;
    },
    { what: `the turn of ${playId ?? 'nobody'} in ${lane}` },
  );
  return seen;
}

/** As a worker ends a play, and what follows. */
async function end(playId: string, as: 'DONE' | 'FAIL'): Promise<void> {
  const play = await stored(playId);
  const error = { code: 'broken', message: 'Broken.', ref: 'call' };
  const write = endWrite(play, error, new Date(mongo.serverNow() - 60_000));
  const { turns, ...set } = write.set;
  const ended = { ...write, set: { ...set, state: as, ...(as === 'FAIL' && turns && { turns }) } };
  expect(
    await store.write(playKeyOf(play), as === 'FAIL' ? ended : { ...ended, unset: [...write.unset, 'turns'] }),
  ).toBe(true);
  await plays.updateOne({ _id: playId }, { $set: { completedAt: new Date(mongo.serverNow() - 60_000) } });
  changes.ended(play, as, null);
}

describe('a run in a lane', () => {
  it('waits for its turn in the order of acceptance, over all flows of the company', async () => {
    const other = await flowWith({ concurrency: 1 });
    const first = await run({ lane: 'customer-42' });
    expect(first).toMatchObject({ status: 202, body: { state: 'DEFERRED' } });
    const second = await runIn('customer-42', other);
    const third = await runIn('customer-42');
    const seen = await headOf('customer-42', textOf(first.body.playId));
    expect(seen).toMatchObject({
      ...{ lane: 'customer-42', state: 'running', waiting: 2 },
      head: { flowId, state: 'RUN', completedAt: null, error: null },
      next: [
        { playId: second, flowId: other },
        { playId: third, flowId },
      ],
    });
    expect((await editor.send('GET', `/api/v1/plays/${third}`)).body).toMatchObject({
      state: 'DEFERRED',
      lane: 'customer-42',
    });
    const waiting = (await editor.send('GET', `/api/v1/plays/${third}/waiting`)).body;
    expect(waiting).toMatchObject({ state: 'DEFERRED', reason: 'lane', position: 2, ahead: 1, limit: 1, ref: null });
    expect(textOf(waiting.message)).toContain('one play at a time');
    await end(textOf(first.body.playId), 'DONE');
    // then it waits for the turn of its flow, and gets it
    await headOf('customer-42', second);
    await waitFor(async () => (await stored(second)).state === 'RUN', { what: 'the turn of its flow' });
  });

  it('may be one of a batch, whose order stays', async () => {
    // large args are stored before their play
    const runs = Array.from({ length: 30 }, (_, n) => ({
      lane: 'batch',
      args: { n, x: 'x'.repeat(n % 3 === 0 ? 20_000 : 1) },
    }));
    const { body } = await editor.send('POST', `/api/v1/flows/${flowId}/run-batch`, { body: { runs } });
    const ids = (body.items as unknown as { playId: string }[]).map(({ playId }) => playId);
    const seen = await headOf('batch', ids[0] ?? '');
    expect((seen.next as unknown as { playId: string }[]).map(({ playId }) => playId)).toEqual(ids.slice(1));
  });

  it.each([
    ['no text', 5, 'invalid_body'],
    ['an empty one', '', 'invalid_body'],
    ['a long one', 'x'.repeat(256), 'invalid_body'],
    ['one with NUL', 'a\0b', 'invalid_body'],
  ])('is refused with %s', async (_what, lane, code) => {
    expect((await run({ lane })).body).toMatchObject({ status: 400, code });
  });

  it('may have any name, as long as it is not longer', async () => {
    const name = `${'ü/ %'.repeat(63)}🚂`;
    const playId = await runIn(name);
    expect((await headOf(name, playId)).lane).toBe(name);
    expect((await laneOf('x'.repeat(256))).body).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('is in the lane that the flow computes from its args, unless it names one', async () => {
    const computed = await flowWith({ lane: 'customer-{{ $prev.args.id }}', onLaneFail: 'stop' });
    const first = textOf((await run({ args: { id: 7 } }, computed)).body.playId);
    expect(await stored(first)).toMatchObject({ lane: 'customer-7', laneStops: true });
    const named = textOf((await run({ args: { id: 7 }, lane: 'own' }, computed)).body.playId);
    expect(await stored(named)).toMatchObject({ lane: 'own' });
    const rich = await flowWith({ lane: '{{ $uppercase($prev.args.id) & "!" }}' });
    const shouted = textOf((await run({ args: { id: 'ab' } }, rich)).body.playId);
    expect(await stored(shouted)).toMatchObject({ lane: 'AB!' });
    expect(await stored(shouted)).not.toHaveProperty('laneStops');
    const instance = await flowWith({ lane: '{{ $blueprint.region }}-{{ $prev.args.id }}' });
    // as an instance of a blueprint has them
    const flows = mongo.collection<{ _id: string }>(FLOWS);
    await flows.updateOne({ _id: instance }, { $set: { blueprintVars: { region: 'eu' } } });
    const ofRegion = textOf((await run({ args: { id: 7 } }, instance)).body.playId);
    expect(await stored(ofRegion)).toMatchObject({ lane: 'eu-7' });
  });

  it.each([
    ['a field that is not there', {}],
    ['null', { id: null }],
    ['the empty text', { id: '' }],
    ['an object', { id: { a: 1 } }],
    ['too long a text', { id: 'x'.repeat(255) }],
  ])('is refused when the lane of its flow reads %s, and makes no play', async (_what, args) => {
    const computed = await flowWith({ lane: 'customer-{{ $prev.args.id }}' });
    const { body } = await run({ args }, computed);
    expect(body).toMatchObject({ status: 422, code: 'invalid_lane', errors: [{ path: 'args' }] });
    expect(await plays.countDocuments({ flowId: computed })).toBe(0);
  });

  it('is not refused for its lane when its key has a play, or its condition is false', async () => {
    const settings = { lane: '{{ $prev.args.id }}' };
    const computed = await storedFlow(mongo, editor, {}, { settings, when: '{{ $prev.args.on }}' });
    const first = await run({ args: { id: 'a', on: true }, idempotencyKey: 'k' }, computed);
    const again = await run({ args: { on: true }, idempotencyKey: 'k' }, computed);
    expect(again).toMatchObject({ status: 200, body: { playId: first.body.playId } });
    expect((await run({ args: { on: false } }, computed)).body).toMatchObject({ state: 'SKIP' });
  });

  it.each([
    ['what it cannot read', '{{ .fetch.id }}', /cannot read \.fetch\.id/],
    ['what is no expression', '{{ $prev.args.id', /ends with/],
    ['a constant with NUL', 'a\0', /NUL/],
  ])('a flow is not saved with a lane of %s', async (_what, lane, message) => {
    const { body } = await editor.send('POST', '/api/v1/flows', { body: { name: 'f', settings: { lane } } });
    expect(body).toMatchObject({ status: 422, code: 'invalid_expression', errors: [{ path: 'settings.lane' }] });
    expect(textOf(body.detail)).toMatch(message);
  });

  it('keeps its lane when it is rerun, and finds the one of new args', async () => {
    const computed = await flowWith({ lane: 'c-{{ $prev.args.id }}' });
    const first = textOf((await run({ args: { id: 1 } }, computed)).body.playId);
    await headOf('c-1', first);
    await end(first, 'DONE');
    const rerun = (body: object) => editor.send('POST', `/api/v1/plays/${first}/rerun`, { body });
    const same = await rerun({});
    expect(same.body).toMatchObject({ state: 'DEFERRED' });
    expect(await stored(textOf(same.body.playId))).toMatchObject({ lane: 'c-1' });
    const other = await rerun({ args: { id: 2 } });
    expect(await stored(textOf(other.body.playId))).toMatchObject({ lane: 'c-2' });
    expect((await rerun({ args: {} })).body).toMatchObject({ status: 422, code: 'invalid_lane' });
  });
});

describe('a stopped lane', () => {
  let failed: string;
  let next: string;

  beforeEach(async () => {
    flowId = await flowWith({ onLaneFail: 'stop' });
    failed = await runIn('l');
    next = await runIn('l');
    await headOf('l', failed);
    await end(failed, 'FAIL');
    await keeper.goOn({ companyId: editor.scope.companyId, queue: 'lane:l' });
  });

  it('says so, and why, and its plays wait', async () => {
    expect((await laneOf('l', viewer)).body).toMatchObject({
      ...{ state: 'stopped', waiting: 1, next: [{ playId: next }] },
      head: { playId: failed, state: 'FAIL', error: { code: 'broken', ref: 'call' } },
    });
    const { body } = await editor.send('GET', `/api/v1/plays/${next}/waiting`);
    expect(body).toMatchObject({ reason: 'lane', position: 1, ahead: 0 });
    expect(textOf(body.message)).toContain('retries or skips');
  });

  it('goes on past the play that failed when an editor skips it, once, with an audit entry', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => skip('l', { playId: failed })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ code: 'nothing_to_skip' });
    expect(await headOf('l', next)).toMatchObject({ state: 'running', waiting: 0 });
    expect(await stored(failed)).toMatchObject({ state: 'FAIL', error: { code: 'broken' } });
    const entries = await mongo
      .collection<AuditDocument>(AUDIT_LOGS)
      .find({ company_id: editor.scope.companyId, action_type: 'lane_skipped' })
      .toArray();
    expect(entries).toMatchObject([
      { resource_type: 'lane', resource_id: 'l', changes: { playId: { before: failed, after: null } } },
    ]);
  });

  it('goes on with the retry of that play, and then with the others', async () => {
    const retried = await editor.send('POST', `/api/v1/plays/${failed}/retry`);
    expect(retried).toMatchObject({ status: 202, body: { state: 'DEFERRED' } });
    const again = textOf(retried.body.playId);
    expect(await headOf('l', again)).toMatchObject({ state: 'running', next: [{ playId: next }] });
    await end(again, 'DONE');
    await headOf('l', next);
  });

  it('keeps the play that stops it from being erased', async () => {
    const admin = await person('admin', editor.scope.companyId);
    const erased = await admin.send('DELETE', `/api/v1/plays/${failed}`);
    expect(erased.body).toMatchObject({ status: 409, code: 'lane_stopped', lane: 'l' });
    await skip('l');
    expect((await admin.send('DELETE', `/api/v1/plays/${failed}`)).status).toBe(204);
  });
});

describe('a skip', () => {
  it('cancels a play that is open, and lets its lane go on also when that stops on failures', async () => {
    flowId = await flowWith({ onLaneFail: 'stop' });
    const [first, second] = [await runIn('open'), await runIn('open')];
    await headOf('open', first);
    expect((await skip('open', { playId: second })).body).toMatchObject({ status: 409, code: 'nothing_to_skip' });
    expect((await skip('open', { playId: first })).status).toBe(200);
    expect(await stored(first)).toMatchObject({ state: 'FAIL', error: { code: 'cancelled' } });
    await headOf('open', second);
    // a cancel does not skip: the lane stops at it
    await editor.send('POST', `/api/v1/plays/${second}/cancel`);
    expect(await headOf('open', second)).toMatchObject({ state: 'stopped' });
    expect((await skip('open')).body).toMatchObject({ state: 'idle', head: null, waiting: 0 });
    expect((await skip('open')).body).toMatchObject({ status: 409, code: 'nothing_to_skip' });
  });

  it('passes no play but the one that had the turn when it was asked for', async () => {
    const [first, second] = [await runIn('moving'), await runIn('moving')];
    await headOf('moving', first);
    // the head ends at the moment at which it would be cancelled
    const commands = app.get(PlayCommands, { strict: false });
    const apply = commands.apply.bind(commands);
    commands.apply = (async (...asked: Parameters<typeof apply>) => {
      commands.apply = apply;
      await end(first, 'DONE');
      await headOf('moving', second);
      return apply(...asked);
    }) as typeof apply;
    expect((await skip('moving')).body).toMatchObject({ status: 409, code: 'nothing_to_skip' });
    expect(await stored(second)).toMatchObject({ state: 'RUN' });
  });

  it('is for editors of the company, as a lane is that of one company', async () => {
    const stranger = await person('admin');
    const playId = await runIn('ours');
    await headOf('ours', playId);
    expect((await skip('ours', undefined, viewer)).status).toBe(403);
    expect((await laneOf('ours', stranger)).body).toMatchObject({ state: 'idle', head: null, waiting: 0, next: [] });
    expect((await skip('ours', undefined, stranger)).body).toMatchObject({ status: 409, code: 'nothing_to_skip' });
    expect(await stored(playId)).toMatchObject({ state: 'RUN' });
  });

  it('shows nothing of flows that the caller may not read', async () => {
    const secret = await flowWith({});
    await editor.send('PUT', `/api/v1/flows/${secret}`, { body: { restricted: true } });
    const playId = await runIn('mixed', secret);
    await headOf('mixed', playId);
    const open = await runIn('mixed');
    expect((await laneOf('mixed', viewer)).body).toMatchObject({
      head: { playId: null, flowId: null, state: 'RUN', error: null },
      next: [{ playId: open, flowId }],
    });
  });
});

it('a lane of which nothing is known is idle', async () => {
  expect((await laneOf(newId(), viewer)).body).toMatchObject({ state: 'idle', head: null, waiting: 0, next: [] });
});

describe('a lane that other flows use', () => {
  it('is named only by who may execute these, or by a flow whose settings give it', async () => {
    const { companyId } = editor.scope;
    const [admin, guest] = [await person('admin', companyId), await person('none', companyId)];
    const settings = { lane: 'pay-{{ $prev.args.id }}' };
    const secret = await storedFlow(mongo, admin, { call: 'web-request' }, { restricted: true, settings });
    const body = { resource_type: 'flow', resource_id: flowId, grant_type: 'user', grantee_id: guest.userId };
    await admin.send('POST', '/api/v1/access/grant', { body: { ...body, permissions: ['execute'] } });
    const runAs = async (by: Person, lane: string, of = flowId) => {
      const answer = await by.send('POST', `/api/v1/flows/${of}/run`, { body: { lane, args: { id: 7 } } });
      return answer.body.code ?? answer.status;
    };
    expect([await runAs(guest, 'pay-7'), await runAs(editor, 'pay-7')]).toEqual(['lane_denied', 'lane_denied']);
    expect([await runAs(guest, 'free'), await runAs(admin, 'pay-7')]).toEqual([202, 202]);
    await admin.send('POST', `/api/v1/flows/${secret}/run`, { body: { lane: 'named', args: { id: 7 } } });
    expect([await runAs(guest, 'named'), await runAs(editor, 'named')]).toEqual(['lane_denied', 'lane_denied']);
    const same = await flowWith({ lane: 'pay-{{ $prev.args.id }}' });
    expect([await runAs(editor, 'pay-7', same), await runAs(editor, 'pay-8', same)]).toEqual([202, 'lane_denied']);
    const batch = await guest.send('POST', `/api/v1/flows/${flowId}/run-batch`, {
      body: { runs: [{ lane: 'pay-1' }, { lane: 'other' }] },
    });
    expect(batch.body.items).toMatchObject([{ error: { code: 'lane_denied' } }, { state: 'DEFERRED' }]);
  });
});
