import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { JobRepository, USERS, type UserDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, type Json } from '../../../../test/api/live-api.js';

const { mongo, person } = await liveApi();
const PATH = '/api/v1/admin/jobs';
const jobs = new JobRepository(mongo);
const admin = await person('admin');
const op = await person('admin');
await mongo.collection<UserDocument>(USERS).updateOne({ _id: op.userId }, { $set: { operator: true } });

describe('the background jobs', () => {
  it('are listed before they ever ran, and show what their last run did', async () => {
    const before = await admin.send('GET', PATH);
    expect((before.body.jobs as unknown as Json[]).map(({ name, status }) => [name, status])).toEqual([
      ['retention', 'never'],
      ['audit-cache', 'never'],
      ['cache-eviction', 'never'],
      ['scheduler', 'never'],
    ]);
    await jobs.declare('retention', 120_000);
    const claim = await jobs.claim('retention', 30_000);
    if (!claim) throw new Error('the job was not claimed');
    expect((await admin.send('GET', `${PATH}/retention`)).body).toMatchObject({ status: 'running', duration_ms: null });
    const left = { plays: 40_000, bytes: 68_000_000, overdue_ms: 3_600_000 };
    await jobs.tellLeft(claim, left);
    expect((await admin.send('GET', `${PATH}/retention`)).body).toMatchObject({ left });
    await jobs.finish(claim, { status: 'ok', entriesDeleted: 12, goesOn: false });
    const { body } = await admin.send('GET', `${PATH}/retention`);
    expect(body).toMatchObject({
      id: 'retention',
      name: 'retention',
      last_run: claim.startedAt.toISOString(),
      status: 'ok',
      next_run: new Date(claim.startedAt.getTime() + 120_000).toISOString(),
      entries_deleted: 12,
      left: null,
    });
    expect(body.duration_ms).toBeTypeOf('number');
  });

  it('are run on demand by operators, with an audit entry', async () => {
    await jobs.declare('retention', 120_000);
    expect((await admin.send('POST', `${PATH}/retention/run`)).body).toMatchObject({ code: 'operator_required' });
    const asked = await op.send('POST', `${PATH}/retention/run`);
    expect(asked).toMatchObject({ status: 202, body: { name: 'retention' } });
    expect(await jobs.due(['retention'])).toEqual(['retention']);
    const entry = await mongo.collection<AuditDocument>(AUDIT_LOGS).findOne({ action_type: 'job_requested' });
    expect(entry).toMatchObject({ UserID: op.userId, resource_id: 'retention' });
  });

  for (const path of ['cleaning', 'scheduler', 'constructor']) {
    it(`are not there under ${path} while no scheduler knows one of that name`, async () => {
      expect(await op.send('POST', `${PATH}/${path}/run`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    });
  }
});
