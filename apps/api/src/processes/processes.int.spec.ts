import { RunningProcesses, USERS, type UserDocument } from '@weft/records';
import { expect, it } from 'vitest';
import { liveApi } from '../../../../test/api/live-api.js';

const { mongo, person } = await liveApi();
const running = new RunningProcesses(mongo);
const sign = (id: string, name: string, version: string) => ({
  ...{ id, name, version, level: 3, host: `${id}.pod`, startedAt: new Date(0) },
});

it('shows operators, and nobody else, which processes of which versions run', async () => {
  const [admin, op] = [await person('admin'), await person('admin')];
  await mongo.collection<UserDocument>(USERS).updateOne({ _id: op.userId }, { $set: { operator: true } });
  await running.tell(sign('old', 'worker', '1.0.0'));
  await running.tell(sign('new', 'worker', '1.1.0'));
  await running.tell(sign('left', 'api', '1.1.0'));
  await running.leave('left');
  const { body } = await op.send('GET', '/api/v1/admin/processes');
  const listed = (body.processes as unknown as { id: string; seen_at: string }[]).filter(({ id }) => id !== 'left');
  expect(listed).toHaveLength((body.processes as unknown as unknown[]).length);
  const old = listed.find(({ id }) => id === 'old');
  const started_at = '1970-01-01T00:00:00.000Z';
  expect(old).toMatchObject({ name: 'worker', version: '1.0.0', host: 'old.pod', started_at });
  expect(Math.abs(Date.parse(old?.seen_at ?? '') - mongo.serverNow())).toBeLessThan(60_000);
  expect(listed.map(({ id }) => id)).toContain('new');
  expect((await admin.send('GET', '/api/v1/admin/processes')).status).toBe(403);
});
