import { Metrics } from '@weft/observability';
import { USERS, type UserDocument } from '@weft/records';
import { expect, it } from 'vitest';
import { liveApi, textOf, type Answer } from '../../../../test/api/live-api.js';
import { describedOperations, type OpenApi } from '../../../../test/rights/openapi-cells.js';

const lines: string[] = [];
const { app, mongo, send, person } = await liveApi({ LOG_LEVEL: 'debug' }, { write: (line) => lines.push(line) });
const admin = await person('admin');
await mongo.collection<UserDocument>(USERS).updateOne({ _id: admin.userId }, { $set: { operator: true } });
const document = (await send('GET', '/api/openapi.json')).body as unknown as OpenApi;

/** What only its owner and its use may see: a text that says where it was, long enough for any rule. */
const canary = (place: string) => `canary-${place}-7f3a91`;
const SECRET_FIELDS = [
  ...['password', 'current_password', 'new_password', 'token', 'secret', 'client_secret'],
  ...['access_token', 'refresh_token', 'authorization', 'api_key'],
];
/** Fields that may hold anything. */
const FREE_FIELDS = ['args', 'payload', 'value', 'fixtures', 'expected', 'blueprintVars'];
const known: Readonly<Record<string, unknown>> = Object.fromEntries<unknown>([
  ...SECRET_FIELDS.map((field) => [field, canary(field)] as const),
  ['secrets', { app: canary('secrets') }] as const,
  ...FREE_FIELDS.map((field) => [field, { note: canary(field), deep: [{ [canary('key')]: 1 }] }] as const),
]);
const flowId = textOf((await admin.send('POST', '/api/v1/flows', { body: { name: 'flow' } })).body.id);
const operations = describedOperations(document, known);

it('a secret is in no log line, metric or refusal, whichever operation it was sent to', async () => {
  const answers: Answer[] = [];
  for (const { method, path, body } of operations) {
    const url = path.replace(/\{\w+\}/g, flowId);
    answers.push(
      await admin.send(method, url, { body }),
      await admin.send(method, `${url}?token=${canary('query')}`, {
        body: { ...(body as object), unknown: canary('field') },
      }),
      await send(method, url, { body, headers: { authorization: `Bearer ${canary('bearer')}` } }),
      await send(method, url, { body, headers: { cookie: `sid=${canary('sid')}`, 'x-api-key': canary('header') } }),
      await send(method, url, { body: `{"password": "${canary('broken')}", `, headers: { cookie: 'sid=x' } }),
    );
  }
  const refused = answers.filter(({ status }) => status >= 400);
  expect(refused.length).toBeGreaterThan(operations.length * 2);
  expect(answers.filter(({ status }) => status >= 500).map(({ body }) => body)).toEqual([]);

  const requests = lines.filter((line) => line.includes('"component":"http"'));
  expect(requests.length).toBeGreaterThanOrEqual(answers.length);
  const places = {
    log: lines.join(''),
    metrics: await app.get(Metrics).page(),
    refusals: refused.map(({ body }) => JSON.stringify(body)).join(''),
  };
  const found = Object.entries(places).flatMap(([place, text]) =>
    [...new Set(text.match(/canary-\w+-7f3a91/g) ?? [])].map((secret) => `${secret} in ${place}`),
  );
  expect(found).toEqual([]);
});

it('a line of component storage says what was stored beside a play', async () => {
  const editor = await person('flow_editor'); // the first one's session ended above
  const flow = textOf((await editor.send('POST', '/api/v1/flows', { body: { name: 'large' } })).body.id);
  const body = { args: { text: 'x'.repeat(20_000) } };
  expect((await editor.send('POST', `/api/v1/flows/${flow}/run`, { body })).status).toBe(202);
  const stored = lines.filter((line) => line.includes('"component":"storage"'));
  expect(stored.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'DEBUG', kind: 'args', bytes: expect.any(Number) as number },
  ]);
});

it('every line says when, how bad, of what and in words, and the line of a refused request which refusal it was', async () => {
  await send('POST', '/api/v1/auth/login', { body: { email: 'nobody@weft.test', password: 'wrong' } });
  await send('GET', '/nowhere');
  const parsed = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const mute = parsed.filter(
    (line) => !['timestamp', 'level', 'component', 'message'].every((field) => Boolean(line[field])),
  );
  expect(mute).toEqual([]);
  const refused = parsed.filter(({ component, status }) => component === 'http' && Number(status) >= 400);
  expect(refused.filter(({ code }) => typeof code !== 'string')).toEqual([]);
  expect(refused.map(({ status, code }) => `${Number(status)} ${String(code)}`)).toEqual(
    expect.arrayContaining(['401 invalid_credentials', '401 token_invalid', '404 not_found', '400 malformed_json']),
  );
});
