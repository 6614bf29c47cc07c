import { INTEGRATIONS, type IntegrationDocument } from '@weft/records';
import { s3Server } from '@weft/testing';
import { expect, it } from 'vitest';
import { liveApi, textOf, type Json } from '../../../../test/api/live-api.js';

const { mongo, person } = await liveApi();
const admin = await person('admin');
const stranger = await person('admin');
const server = await s3Server({ buckets: [], externalId: `weft-${admin.scope.companyId}` });
const links = mongo.collection<IntegrationDocument>(INTEGRATIONS);

const PATH = '/api/v1/integrations';
const AWS = { region: 'eu-central-1', service: 's3' };
const LINK = { type: 's3', name: 'Storage', endpoint: server.url, kind: 'aws_sigv4', secrets: server.keys };
const make = async (by: typeof admin, settings: object, more: object = {}) =>
  (await by.send('POST', PATH, { body: { ...LINK, settings: { ...AWS, ...settings }, ...more } })).body;
const test = async (by: typeof admin, id: Json | undefined) =>
  (await by.send('POST', `${PATH}/${textOf(id)}/test`)).body;

it('a link that signs is tested with its keys', async () => {
  const { id, Settings } = await make(admin, {});
  expect(Settings).toEqual(AWS);
  expect(await test(admin, id)).toEqual({ ok: true, detail: `127.0.0.1:${server.port} took the keys.` });
  const secrets = { ...server.keys, secret_access_key: 'another' };
  await admin.send('PATCH', `${PATH}/${textOf(id)}`, { body: { secrets } });
  expect(await test(admin, id)).toEqual({
    ok: false,
    detail: expect.stringContaining(
      'does not take the keys: it answered 403 (SignatureDoesNotMatch): the secret',
    ) as string,
  });
});

it('a link with a role fetches its keys, and only for the company that the role trusts', async () => {
  const { id } = await make(admin, { role_arn: server.roleArn });
  expect(await test(admin, id)).toMatchObject({ ok: true });
  const stored = await links.findOne({ _id: textOf(id) });
  const lifeMs = (stored?.TokenExpiry?.getTime() ?? 0) - Date.now();
  expect(lifeMs).toBeGreaterThan(50 * 60_000);
  expect(lifeMs).toBeLessThanOrEqual(61 * 60_000);
  expect(JSON.stringify(stored)).not.toContain(server.keys.secret_access_key);

  const other = await make(stranger, { role_arn: server.roleArn });
  expect(await test(stranger, other.id)).toEqual({
    ok: false,
    detail: expect.stringMatching(/^It cannot be used: .*STS answered 403 \(AccessDenied\)\.$/) as string,
  });
});

it('a link with a role keeps it when it gets other keys', async () => {
  const { id } = await make(admin, { role_arn: server.roleArn });
  await admin.send('PATCH', `${PATH}/${textOf(id)}`, { body: { secrets: server.keys } });
  expect(await test(admin, id)).toMatchObject({ ok: true });
  await admin.send('PATCH', `${PATH}/${textOf(id)}`, {
    body: { secrets: { ...server.keys, secret_access_key: 'another' } },
  });
  expect(await test(admin, id)).toMatchObject({
    ok: false,
    detail: expect.stringContaining('SignatureDoesNotMatch') as string,
  });
});

it('a layer that names a link of another kind has a warning', async () => {
  const { id } = await make(admin, {});
  const bearer = { type: 'api', name: 'API', access_token: 'a-long-enough-token' };
  const other = (await admin.send('POST', PATH, { body: bearer })).body;
  const flow = (await admin.send('POST', '/api/v1/flows', { body: { name: 'Lists' } })).body;
  const warningsOf = async (ref: string, integrationId: Json | undefined) => {
    const layer = { ref, appId: 's3', args: { integrationId, op: 'list', bucket: 'reports' } };
    return (await admin.send('POST', `/api/v1/flows/${textOf(flow.id)}/layers`, { body: layer })).body.warnings;
  };
  expect(await warningsOf('fits', id)).toEqual([]);
  expect(await warningsOf('unfit', other.id)).toMatchObject([
    { path: 'args.integrationId', code: 'link_unfit', message: expect.stringContaining('aws_sigv4') as string },
  ]);
});
