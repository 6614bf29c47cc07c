import { PLAYS } from '@weft/store';
import { SCHEDULES, USERS, type ScheduleDocument, type UserDocument } from '@weft/records';
import type { Play } from '@weft/engine';
import { waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Json, type Person } from '../../../../test/api/live-api.js';

const { mongo, person } = await liveApi();
const schedules = mongo.collection<ScheduleDocument>(SCHEDULES);
const JOBS = '/api/v1/scheduler/jobs';

async function flowOf(editor: Person, fields: object = {}): Promise<string> {
  return textOf((await editor.send('POST', '/api/v1/flows', { body: { name: 'flow', ...fields } })).body.id);
}

async function made(editor: Person, flow_id: string, fields: object = {}): Promise<Json> {
  const { status, body } = await editor.send('POST', JOBS, { body: { flow_id, schedule: '0 6 * * *', ...fields } });
  expect(status).toBe(201);
  return body;
}

async function jobsOf(reader: Person, query = ''): Promise<readonly Json[]> {
  return (await reader.send('GET', `${JOBS}${query}`)).body.jobs as unknown as Json[];
}

async function restingOf(reader: Person, id: Json | undefined): Promise<string | null> {
  return (await reader.send('GET', `${JOBS}/${textOf(id)}`)).body.resting as unknown as string | null;
}

describe('a schedule', () => {
  it('is made with what was left out, changed, paused and deleted; each is in the audit log', async () => {
    const editor = await person('flow_editor');
    const flow_id = await flowOf(editor);
    const job = await made(editor, flow_id, { timezone: 'Europe/Berlin', args: { $deep: { 'a.b': 1 } } });
    expect(job).toEqual({
      ...{ id: job.id, flow_id, schedule: '0 6 * * *', timezone: 'Europe/Berlin', args: { $deep: { 'a.b': 1 } } },
      ...{ labels: {}, enabled: true, overlap: 'skip', missed: 'last', missed_window: '1d', created_by: editor.userId },
      ...{ last_run: null, last_status: null, last_duration_ms: null, resting: null, next_run: job.next_run },
    });
    expect(Date.parse(textOf(job.next_run))).toBeGreaterThan(Date.now());
    const path = `${JOBS}/${textOf(job.id)}`;
    expect((await editor.send('GET', path)).body).toEqual(job);

    const changed = await editor.send('PATCH', path, { body: { schedule: '0 0 1 1 *', overlap: 'queue' } });
    expect(changed).toMatchObject({ status: 200, body: { schedule: '0 0 1 1 *', overlap: 'queue', missed: 'last' } });
    expect(textOf(changed.body.next_run)).toMatch(/-12-31T23:00:00.000Z$/);
    const paused = await editor.send('PATCH', path, { body: { enabled: false } });
    expect(paused.body).toMatchObject({ enabled: false, next_run: null, resting: null });
    expect((await schedules.findOne({ _id: textOf(job.id) }))?.attendAt).toBeNull();
    expect(textOf((await editor.send('PATCH', path, { body: { enabled: true } })).body.next_run)).toBe(
      changed.body.next_run,
    );

    expect((await editor.send('DELETE', path)).status).toBe(204);
    expect((await editor.send('DELETE', path)).status).toBe(404);
    const entries = await mongo
      .collection('audit_logs')
      .find({ resource_id: textOf(job.id) })
      .sort({ _id: 1 })
      .toArray();
    expect(entries.map(({ action_type }) => String(action_type))).toEqual([
      'schedule_created',
      'schedule_updated',
      'schedule_updated',
      'schedule_updated',
      'schedule_deleted',
    ]);
    expect(entries[1]?.changes).toMatchObject({ schedule: { before: '0 6 * * *', after: '0 0 1 1 *' } });
  });

  it.each([
    [{ schedule: '0 0 30 2 *' }, 422, 'invalid_cron', 'schedule'],
    [{ schedule: '0 0 6 * * *' }, 422, 'invalid_cron', 'schedule'],
    [{ timezone: 'Mars/Olympus' }, 422, 'invalid_timezone', 'timezone'],
    [{ missed_window: '1h' }, 422, 'invalid_policy', 'missed_window'],
    [{ overlap: 'never' }, 400, 'invalid_body', 'overlap'],
    [{ cadence: '1d' }, 400, 'unknown_field', 'cadence'],
    [{ flow_id: '0'.repeat(20) }, 404, 'not_found', undefined],
  ])('with %o is refused: %i %s', async (fields, status, code, path) => {
    const editor = await person('flow_editor');
    const body = { flow_id: await flowOf(editor), schedule: '0 6 * * *', ...fields };
    const answer = await editor.send('POST', JOBS, { body });
    expect(answer).toMatchObject({ status, body: { code, errors: path === undefined ? [] : [{ path }] } });
  });

  it('is one of at most 10,000 of a company', async () => {
    const editor = await person('flow_editor');
    const flow_id = await flowOf(editor);
    const { companyId: company_id } = editor.scope;
    const others = Array.from({ length: 9_999 }, (_, i) => ({
      _id: `${editor.userId}-${i}`,
      company_id,
      flow_id: '-',
    }));
    await mongo.collection<{ _id: string }>(SCHEDULES).insertMany(others, { ordered: false });
    await made(editor, flow_id);
    const { status, body } = await editor.send('POST', JOBS, { body: { flow_id, schedule: '0 6 * * *' } });
    expect([status, body.code]).toEqual([422, 'too_many_schedules']);
    await schedules.deleteMany({ company_id });
  });

  it('is shown before it is made, by its next five slots', async () => {
    const viewer = await person('viewer');
    const query = `schedule=${encodeURIComponent('30 2 * * *')}&timezone=Europe/Berlin`;
    const { status, body } = await viewer.send('GET', `/api/v1/scheduler/preview?${query}`);
    expect(status).toBe(200);
    const next = (body.next as unknown as string[]).map((slot) => Date.parse(slot));
    expect(next).toHaveLength(5);
    expect(next).toEqual([...next].sort((a, b) => a - b));
    expect((await viewer.send('GET', '/api/v1/scheduler/preview?schedule=*')).body.code).toBe('invalid_cron');
    expect((await viewer.send('GET', '/api/v1/scheduler/preview')).body.code).toBe('invalid_query');
  });

  it('runs once more when somebody asks, and shows the state of that run at once', async () => {
    const editor = await person('flow_editor');
    const job = await made(editor, await flowOf(editor), { args: { n: 1 }, enabled: false });
    const path = `${JOBS}/${textOf(job.id)}`;
    const run = await editor.send('POST', `${path}/run`);
    expect(run).toMatchObject({ status: 202, body: { state: 'RUN' } });
    const _id = textOf(run.body.playId);
    expect((await editor.send('GET', `/api/v1/plays/${_id}`)).body).toMatchObject({
      trigger: 'schedule',
      args: { n: 1 },
    });
    expect((await editor.send('GET', path)).body).toMatchObject({ last_status: 'RUN', last_duration_ms: null });
    const [at, completedAt] = [new Date(), new Date(Date.now() + 1_500)];
    await mongo.collection<Play>(PLAYS).updateOne({ _id }, {
      $set: { state: 'DONE', completedAt },
      $push: { log: { seq: 2, type: 'state', from: 'NEW', state: 'RUN', at } },
    } as never);
    const shown = (await editor.send('GET', path)).body;
    expect(shown).toMatchObject({ last_status: 'DONE', last_duration_ms: 1_500 });
    expect(shown.last_run).toBe((await editor.send('GET', `/api/v1/plays/${_id}`)).body.createdAt);
  });

  it('rests while its flow cannot run or its creator may not run it, says why, and wakes', async () => {
    const admin = await person('admin');
    const creator = await person('flow_editor', admin.scope.companyId);
    const flowId = await flowOf(admin);
    const job = await made(creator, flowId);
    const resting = () => restingOf(admin, job.id);
    const flow = `/api/v1/flows/${flowId}`;

    await admin.send('PATCH', flow, { body: { enabled: false } });
    expect(await resting()).toContain('disabled');
    expect(await jobsOf(admin, `?flow_id=${flowId}`)).toMatchObject([{ next_run: null, enabled: true }]);
    expect((await admin.send('POST', `${JOBS}/${textOf(job.id)}/run`)).body.code).toBe('flow_disabled');
    await admin.send('PATCH', flow, { body: { enabled: true } });
    expect(await resting()).toBeNull();

    const place = (set: object) =>
      mongo.collection<UserDocument>(USERS).updateOne({ _id: creator.userId }, { $set: set });
    await place({ 'company_roles.0.role': 'viewer' });
    await waitFor(async () => (await resting())?.includes('may not execute'), { what: 'the right to be gone' });
    await place({ 'company_roles.0.role': 'flow_editor', 'company_roles.0.deactivated': true });
    await waitFor(async () => (await resting())?.includes('not active'), { what: 'the creator to be gone' });
    await place({ 'company_roles.0.deactivated': false });
    await waitFor(async () => (await resting()) === null, { what: 'the schedule to wake' });

    await admin.send('DELETE', flow);
    expect(await resting()).toContain('deleted');
    expect((await admin.send('POST', `${JOBS}/${textOf(job.id)}/run`)).status).toBe(404);
    await admin.send('POST', `${flow}/restore`);
    await admin.send('PATCH', flow, { body: { enabled: true } });
    expect(await resting()).toBeNull();
  });

  it('shows a next run ahead of now while no scheduler runs', async () => {
    const editor = await person('flow_editor');
    const job = await made(editor, await flowOf(editor), { schedule: '* * * * *' });
    const nextSlot = new Date(Date.now() - 7_200_000);
    await schedules.updateOne({ _id: textOf(job.id) }, { $set: { nextSlot, attendAt: nextSlot } });
    const [shown] = await jobsOf(editor);
    expect(Date.parse(textOf(shown?.next_run))).toBeGreaterThan(Date.now());
  });

  it('does not come again at a slot that has been taken, whatever it is changed to', async () => {
    const editor = await person('flow_editor');
    const job = await made(editor, await flowOf(editor));
    const takenUntil = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 180_000);
    await schedules.updateOne({ _id: textOf(job.id) }, { $set: { takenUntil } });
    const { body } = await editor.send('PATCH', `${JOBS}/${textOf(job.id)}`, { body: { schedule: '* * * * *' } });
    expect(Date.parse(textOf(body.next_run))).toBe(takenUntil.getTime() + 60_000);
  });

  it('is seen and changed by those whom its flow lets, in its company only', async () => {
    const editor = await person('flow_editor');
    const job = await made(editor, await flowOf(editor, { restricted: true }));
    const path = `${JOBS}/${textOf(job.id)}`;
    const viewer = await person('viewer', editor.scope.companyId);
    const colleague = await person('flow_editor', editor.scope.companyId);
    const stranger = await person('admin');
    expect(await jobsOf(viewer)).toEqual([]);
    expect((await viewer.send('GET', path)).status).toBe(403);
    for (const [method, at] of [
      ['PATCH', path],
      ['DELETE', path],
      ['POST', `${path}/run`],
    ] as const) {
      expect((await colleague.send(method, at, { body: method === 'PATCH' ? {} : undefined })).status).toBe(403);
      expect((await stranger.send(method, at, { body: method === 'PATCH' ? {} : undefined })).status).toBe(404);
    }
    const foreign = await stranger.send('POST', JOBS, { body: { flow_id: job.flow_id, schedule: '0 6 * * *' } });
    expect(foreign.status).toBe(404);
    expect(await jobsOf(stranger)).toEqual([]);
  });
});
