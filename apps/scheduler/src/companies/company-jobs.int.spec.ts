import { SETTINGS, type Settings } from '@weft/config';
import { PassRunner } from '@weft/process';
import { AdmissionWindow } from '@weft/queue';
import {
  COMPANY_JOBS,
  FLOWS,
  FLOW_VERSIONS,
  INTEGRATIONS,
  KV_STORES,
  SCHEDULES,
  TRIGGERS,
  USERS,
  WEBHOOKS,
  type CompanyJobDocument,
  type FlowDocument,
  type IntegrationDocument,
  type UserDocument,
} from '@weft/records';
import { PlayCommands } from '@weft/runs';
import { MongoPlayStore, OpenPlaysRepository, PayloadStore, TenantScope } from '@weft/store';
import { gunzipSync, gzipSync } from 'node:zlib';
import pino from 'pino';
import { beforeAll, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Json, type Person } from '../../../../test/api/live-api.js';
import { Glance } from '../glance.js';
import { CompanyJobs } from './company-jobs.js';

const { app, mongo, person } = await liveApi();
const of = <T>(part: abstract new (...needs: never[]) => T): T => app.get<T>(part, { strict: false });
const runner = new CompanyJobs(
  pino({ level: 'silent' }),
  newId,
  app.get<Settings>(SETTINGS, { strict: false }),
  mongo,
  of(PayloadStore),
  of(AdmissionWindow),
  of(OpenPlaysRepository),
  of(MongoPlayStore),
  of(PlayCommands),
  new Glance(mongo, of(PassRunner)),
);
const goOn = new AbortController().signal;

let op: Person;
beforeAll(async () => {
  op = await person('admin');
  await mongo.collection<UserDocument>(USERS).updateOne({ _id: op.userId }, { $set: { operator: true } });
});

async function done(answer: { readonly status: number; readonly body: Json }): Promise<Json> {
  expect(answer).toMatchObject({ status: 202, body: { state: 'running' } });
  await runner.pass(goOn);
  return (await op.send('GET', `/api/v1/company-jobs/${textOf(answer.body.id)}`)).body;
}

async function fileOf(job: Json): Promise<Buffer> {
  const id = textOf(job.file).split('/').at(-1) ?? '';
  const file = await of(PayloadStore).userFiles.open(op.scope, id);
  if (!file) throw new Error('the file is gone');
  const parts: Buffer[] = [];
  for await (const part of file.read()) parts.push(part);
  return Buffer.concat(parts);
}

async function upload(content: Buffer, by = op): Promise<{ $ref: string }> {
  const label = { contentType: 'application/gzip', filename: null, by: by.userId };
  const { $ref } = await of(PayloadStore).userFiles.take(
    by.scope,
    (async function* () {
      yield content;
    })(),
    label,
  );
  return { $ref };
}

const importOf = ({ $ref: file }: { readonly $ref: string }, name = 'Copy') =>
  op.send('POST', '/api/v1/companies/import', { body: { name, file } });

const SECRET = 'xoxb-very-secret';

/** A company with one of everything that a user makes. */
async function furnished(): Promise<{ readonly owner: Person; readonly childId: string; readonly linkId: string }> {
  const owner = await person('admin');
  const make = async (path: string, body: object) => {
    const answer = await owner.send('POST', `/api/v1/${path}`, { body });
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    return answer.body;
  };
  const link = await make('integrations', { type: 'shop', name: 'Shop', key: 'shop', access_token: SECRET });
  const child = await make('flows', { name: 'Child', key: 'child' });
  const childId = textOf(child.id);
  const linkId = textOf(link.id);
  const layers = [
    { ref: 'run', appId: 'run-flow', args: { flowId: childId } },
    { ref: 'call', appId: 'web-request', args: { url: 'https://example.com', auth: { integrationId: linkId } } },
  ];
  const parent = await make('flows', { name: 'Übung', key: 'parent', layers });
  const path = `flows/${textOf(parent.id)}`;
  await make(`${path}/triggers`, { name: 'shop', verifier: { type: 'github', secrets: [SECRET] } });
  await make('scheduler/jobs', { flow_id: textOf(parent.id), schedule: '0 3 * * *' });
  await make('webhooks', { name: 'hook', url: 'https://example.com/hook', events: ['play.done'] });
  await make('admin/api-keys', { name: 'ci' });
  await make('groups', { name: 'Night shift' });
  await owner.send('PUT', '/api/v1/kv/last', { body: { value: childId } });
  return { owner, childId, linkId };
}

it('exports all that defines a company without a secret, and makes a company of it with ids of its own', async () => {
  const { owner, childId, linkId } = await furnished();
  const companyId = owner.scope.companyId;
  const exported = await done(await op.send('POST', `/api/v1/companies/${companyId}/export`));
  expect(exported).toMatchObject({ state: 'done', error: null, counts: { flows: 2, integrations: 1, users: 1 } });
  const file = await fileOf(exported);
  const text = gunzipSync(file).toString();
  expect(text).not.toContain(SECRET);
  expect(text).not.toMatch(/"(password_hash|token_hash|AccessToken|secret)":/);

  const imported = await done(await importOf(await upload(file)));
  expect(imported).toMatchObject({
    state: 'done',
    error: null,
    left_to_give: {
      links: ['Shop'],
      triggers: ['shop'],
      webhooks: ['hook'],
      schedules: ['0 3 * * *'],
      api_keys: ['ci'],
    },
  });
  expect(imported.counts).toEqual(exported.counts);
  const scope = new TenantScope(textOf(imported.company_id));
  expect(scope.companyId).not.toBe(companyId);
  const flows = await mongo.collection<FlowDocument>(FLOWS).find({ company_id: scope.companyId }).toArray();
  const parent = flows.find(({ key }) => key === 'parent');
  const child = flows.find(({ key }) => key === 'child');
  const link = await mongo.collection<IntegrationDocument>(INTEGRATIONS).findOne({ CompanyID: scope.companyId });
  expect([child?._id, link?._id]).not.toContain(childId);
  expect([child?._id, link?._id]).not.toContain(linkId);
  expect(parent?.layers.map(({ args }) => args)).toMatchObject([
    { flowId: child?._id },
    { auth: { integrationId: link?._id } },
  ]);
  const versions = mongo.collection(FLOW_VERSIONS);
  const of_ = { companyId: scope.companyId, flowId: parent?._id };
  expect(await versions.countDocuments(of_)).toBeGreaterThan(0);
  const kv = await mongo.collection(KV_STORES).findOne({ company_id: scope.companyId, key: 'last' });
  expect(JSON.stringify(kv)).toContain(child?._id);
  for (const name of [TRIGGERS, SCHEDULES, WEBHOOKS]) {
    const found = await mongo.collection(name).find({ company_id: scope.companyId }).toArray();
    expect(
      found.map(({ enabled }) => enabled as unknown),
      name,
    ).toEqual([false]);
  }
  const me = await op.send('POST', '/api/v1/auth/switch-company', { body: { company_id: scope.companyId } });
  const headers = { cookie: String(me.headers['set-cookie']).split(';')[0] ?? '' };
  const there = (path: string) => op.send('GET', path, { headers });
  expect((await there('/api/v1/flows')).body.total).toBe(2);
  expect((await there('/api/v1/integrations')).body).toMatchObject({ total: 1, items: [{ Name: 'Shop' }] });
  expect((await there('/api/v1/users')).body.total).toBe(2);
});

it('does an import again that was killed, and stores nothing twice', async () => {
  op = await person('admin');
  await mongo.collection<UserDocument>(USERS).updateOne({ _id: op.userId }, { $set: { operator: true } });
  const { owner } = await furnished();
  const exported = await done(await op.send('POST', `/api/v1/companies/${owner.scope.companyId}/export`));
  const answer = await importOf(await upload(await fileOf(exported)));
  await done(answer);
  const id = textOf(answer.body.id);
  const before = await mongo.collection(FLOWS).countDocuments({});
  // all but its end was done when it was killed
  const jobs = mongo.collection<CompanyJobDocument>(COMPANY_JOBS);
  await jobs.updateOne({ _id: id }, { $set: { state: 'running', completed_at: null } });
  await runner.pass(goOn);
  expect(await jobs.findOne({ _id: id })).toMatchObject({ state: 'done', attempts: 2 });
  expect(await mongo.collection(FLOWS).countDocuments({})).toBe(before);
});

it('refuses a file that is damaged, cut off, of something else or of another company, and leaves nothing of it', async () => {
  const { owner } = await furnished();
  const exported = await done(await op.send('POST', `/api/v1/companies/${owner.scope.companyId}/export`));
  const text = gunzipSync(await fileOf(exported)).toString();
  const lines = text.trimEnd().split('\n');
  const packed = (some: readonly string[]) => gzipSync(some.join('\n'));
  const foreign = (await person('admin')).scope.companyId;
  const asForeign = lines.map((line) =>
    line.startsWith('{"collection":"flows"') ? line.replaceAll(owner.scope.companyId, foreign) : line,
  );
  const asOperator = lines.map((line) => line.replace('"collection":"groups"', '"collection":"settings"'));
  const cases: readonly (readonly [Buffer, RegExp])[] = [
    [Buffer.from('no gzip'), /damaged/],
    [gzipSync(text).subarray(0, 200), /damaged|not whole/],
    [packed(lines.slice(0, -1)), /not whole/],
    [packed(['{}']), /not an export/],
    [packed(asForeign), /does not belong/],
    [packed(asOperator), /settings/],
  ];
  for (const [content, why] of cases) {
    const job = await done(await importOf(await upload(content)));
    expect(job).toMatchObject({ state: 'failed', error: expect.stringMatching(why) as string });
    expect(await mongo.collection(FLOWS).countDocuments({ company_id: textOf(job.company_id) })).toBe(0);
  }
  const theirs = await upload(packed(lines), owner);
  expect(await importOf(theirs)).toMatchObject({ status: 422, body: { code: 'unknown_id' } });
});

it('gives nobody more than they have: an operator of the file is none here', async () => {
  const { owner } = await furnished();
  await mongo.collection<UserDocument>(USERS).updateOne({ _id: owner.userId }, { $set: { operator: true } });
  const exported = await done(await op.send('POST', `/api/v1/companies/${owner.scope.companyId}/export`));
  const lines = gunzipSync(await fileOf(exported))
    .toString()
    .replace('"collection":"users","document":{', '$&"operator":true,');
  const imported = await done(await importOf(await upload(gzipSync(lines))));
  const users = mongo.collection<UserDocument>(USERS).find({ 'company_roles.company_id': textOf(imported.company_id) });
  const made = (await users.toArray()).filter(({ _id }) => _id !== op.userId);
  expect(made.map(({ operator, password_hash }) => [operator, password_hash])).toEqual([[false, null]]);
});
