import { Metrics } from '@weft/observability';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer } from '../../../../../test/api/live-api.js';

const lines: string[] = [];
const { app, mongo, send, person } = await liveApi({ LOG_LEVEL: 'debug' }, { write: (line) => lines.push(line) });
const editor = await person('flow_editor');
const flowId = textOf((await editor.send('POST', '/api/v1/flows', { body: { name: 'orders' } })).body.id);
const triggers = `/api/v1/flows/${flowId}/triggers`;
const SECRET = `whsec_${Buffer.from('canary key of thirty-two bytes!!').toString('base64')}`;

async function newHook(fields: object): Promise<{ readonly path: string; readonly hook: string }> {
  const { body } = await editor.send('POST', triggers, { body: { name: 'shop', ...fields } });
  return { path: `${triggers}/${textOf(body.id)}`, hook: new URL(textOf(body.url)).pathname };
}

describe('the token and the secrets of a trigger', () => {
  it('are in no log line, no metric, no refusal and no collection, however the address is used or misspelled', async () => {
    const { path, hook } = await newHook({ verifier: { type: 'bearer', token: 'canary-bearer-token' } });
    const token = hook.slice('/hooks/'.length);
    const authorization = 'Bearer canary-bearer-token';
    const answers: Answer[] = [];
    const ask = async (...args: Parameters<typeof send>): Promise<void> => {
      answers.push(await send(...args));
    };
    await ask('POST', hook, { body: { order: 1 }, headers: { authorization, 'x-api-key': 'canary-api-key' } });
    await ask('POST', `${hook}?token=canary-query`, { body: '{ broken', headers: { authorization } });
    await ask('POST', hook, { body: {}, headers: { authorization: 'Bearer canary-wrong' } });
    await ask('POST', hook, { body: 'x'.repeat(1_100_000), headers: { authorization } });
    for (const url of [
      hook,
      `${hook}/more`,
      `/HOOKS/${token}`,
      `/api/v1/hooks/${token}`,
      `/%68ooks/${token}`,
      `${hook}%zz`,
    ]) {
      answers.push(await editor.send('GET', url), await editor.send('PUT', url, { body: {} }));
    }
    await editor.send('PATCH', path, { body: { enabled: false } });
    await ask('POST', hook, { headers: { authorization } });
    expect(answers.map(({ status }) => status)).toEqual([
      ...[202, 400, 401, 413],
      ...[405, 405, 404, 404, 404, 404, 404, 404, 405, 405, 404, 404],
      404,
    ]);
    const collections = await mongo.db.listCollections({}, { nameOnly: true }).toArray();
    const stored = await Promise.all(collections.map(({ name }) => mongo.collection(name).find({}).toArray()));
    const places = {
      log: lines.join(''),
      metrics: await app.get(Metrics).page(),
      refusals: JSON.stringify(answers.map(({ body, headers }) => [body, headers])),
      stores: JSON.stringify(stored),
    };
    expect(places.log).toContain('/hooks/[token]');
    expect(places.metrics).toContain('weft_trigger_deliveries_total{outcome="unverified"} 1');
    for (const text of Object.values(places)) {
      expect(text).not.toContain(token);
      expect(text.match(/canary[\w-]*/g)).toBeNull();
    }
  });
});

describe('the example of a sender', () => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      const payload = Buffer.concat(chunks);
      void app.inject({ method: 'POST', url, headers: headers as Record<string, string>, payload }).then((answer) => {
        const isFirst = !taken.has(url);
        taken.add(url);
        // the first answer gets lost
        if (isFirst) response.destroy();
        else response.writeHead(answer.statusCode, { 'content-type': 'application/json' }).end(answer.payload);
      });
    });
  }).listen(0, '127.0.0.1');
  const taken = new Set<string>();
  afterAll(() => server.close());

  const run = async (hook: string, secret: string): Promise<{ readonly code: number; readonly stdout: string }> => {
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const file = fileURLToPath(new URL('../../../../../docs/examples/send-hook.ts', import.meta.url));
    const env = { ...process.env, HOOK_SECRET: secret };
    return promisify(execFile)(process.execPath, [file, `${base}${hook}`, '{"order":"größer"}'], { env }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      (error: { code: number; stdout: string }) => error,
    );
  };

  it('is taken, and makes one play when an answer gets lost', async () => {
    const { path, hook } = await newHook({ verifier: { type: 'standard', secrets: [SECRET] } });
    const { code, stdout } = await run(hook, SECRET);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^not taken: .*\n\{"playId":"\w+","state":"RUN"\}\n$/);
    const { items } = (await editor.send('GET', `${path}/deliveries`)).body;
    expect(items).toMatchObject([{ outcome: 'duplicate' }, { outcome: 'accepted' }]);
    expect(items?.[0]?.playId).toEqual(items?.[1]?.playId);
  });

  it('gives up when it is not trusted', async () => {
    const { hook } = await newHook({ verifier: { type: 'standard', secrets: [SECRET] } });
    taken.add(hook);
    const other = Buffer.from('another key of thirty-two bytes!').toString('base64');
    expect(await run(hook, other)).toMatchObject({ code: 1, stdout: 'not taken: 401\n' });
  });
});
