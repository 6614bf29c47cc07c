import { PayloadStore } from '@weft/store';
import { heldBytes } from '@weft/testing';
import { createHash, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Json, type Person } from '../../../../test/api/live-api.js';
import { storedFlow } from '../../../../test/api/stored-play.js';

const { app, mongo, person, signIn } = await liveApi();
const editor = await person('flow_editor');
const { companyId } = editor.scope;
const stranger = await person('flow_editor');
const { port } = app.getHttpAdapter().getInstance().server.address() as AddressInfo;
const payloads = new PayloadStore(mongo);
const PAYLOAD_FILES = 'payloads.files';
/** Each of the uploads that come at once: enough that holding them would be seen. */
const MB_AT_ONCE = Number(process.env.WEFT_UPLOAD_MB ?? 8);

type Body = NonNullable<RequestInit['body']>;

const cookies = new Map<Person, string>();

/** Over the network, as clients do it: what is injected is never streamed. */
async function send(by: Person, path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Response> {
  const cookie = cookies.get(by) ?? (await signIn(by.userId, by.scope.companyId));
  cookies.set(by, cookie);
  return fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { cookie, ...init.headers } });
}

async function upload(by: Person, body: Body, type = 'application/octet-stream', query = ''): Promise<Json> {
  const answer = await send(by, `/api/v1/payloads${query}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
    duplex: 'half',
  });
  return { status: answer.status, ...((await answer.json()) as object) } as unknown as Json;
}

const uploadJson = (value: unknown, by = editor): Promise<Json> =>
  upload(by, JSON.stringify(value), 'application/json');
const refOf = (uploaded: Json): { $ref: string } => ({ $ref: textOf(uploaded.$ref) });
const filesOf = (id: string): Promise<number> =>
  mongo.collection(PAYLOAD_FILES).countDocuments({ 'metadata.company_id': id });

describe('an upload', () => {
  it('as a form stores the file in it', async () => {
    const form = new FormData();
    form.append('file', new Blob(['a,b\n1,2\n'], { type: 'text/csv' }), 'a.csv');
    const answer = await send(editor, '/api/v1/payloads', { method: 'POST', body: form });
    const stored = (await answer.json()) as Json;
    expect([answer.status, stored]).toMatchObject([201, { bytes: 8, contentType: 'text/csv', filename: 'a.csv' }]);
    expect(await (await send(editor, textOf(stored.$ref))).text()).toBe('a,b\n1,2\n');
    form.append('more', 'x');
    const refused = await send(editor, '/api/v1/payloads', { method: 'POST', body: form });
    expect([refused.status, await refused.json()]).toMatchObject([
      ...[400, { detail: expect.stringContaining('--data-binary') as string }],
    ]);
  });

  it('of any type is stored as it is, and its bytes come back as something to save', async () => {
    const bytes = randomBytes(700_000);
    const uploaded = await upload(editor, bytes, 'image/png; x="1"', '?filename=h%C3%A9%22%0D%0Ax/..%5C.html');
    expect(uploaded).toMatchObject({
      status: 201,
      bytes: 700_000,
      contentType: 'image/png; x="1"',
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    const got = await send(editor, textOf(uploaded.$ref));
    expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': `attachment; filename="h____x_.._.html"; filename*=UTF-8''h%C3%A9%22__x_.._.html`,
      'content-length': '700000',
    });
  });

  it('of more than 64 MB is refused, whether its length is announced or not, and nothing stays', async () => {
    const before = await filesOf(companyId);
    const announced = await upload(editor, new Uint8Array(64 * 1024 * 1024 + 1));
    expect(announced).toMatchObject({ status: 413, code: 'body_too_large' });
    const piece = Buffer.alloc(1024 * 1024);
    const pieces = Readable.from(Array.from({ length: 65 }, () => piece));
    expect(await upload(editor, Readable.toWeb(pieces) as Body)).toMatchObject({ status: 413 });
    expect(await filesOf(companyId)).toBe(before);
  });

  it('that is interrupted leaves nothing', async () => {
    const person2 = await person('flow_editor');
    const abort = new AbortController();
    async function* half() {
      yield Buffer.alloc(600_000);
      await expect.poll(() => filesOf(person2.scope.companyId)).toBe(1);
      abort.abort();
      yield Buffer.alloc(600_000);
    }
    const body = Readable.toWeb(Readable.from(half())) as Body;
    await expect(
      send(person2, '/api/v1/payloads', { method: 'POST', body, duplex: 'half', signal: abort.signal }),
    ).rejects.toThrow();
    await expect.poll(() => filesOf(person2.scope.companyId)).toBe(0);
  });

  it('is taken from executors, not from viewers', async () => {
    expect(await upload(await person('flow_executor', companyId), 'x')).toMatchObject({ status: 201 });
    expect(await upload(await person('viewer', companyId), 'x')).toMatchObject({ status: 403 });
  });

  it('is given to who uploaded it, and to no other user or company while no play has it', async () => {
    const path = textOf((await upload(editor, 'mine', 'text/html')).$ref);
    const colleague = await person('flow_editor', companyId);
    const statuses = [];
    for (const by of [editor, colleague, stranger]) statuses.push((await send(by, path)).status);
    expect(statuses).toEqual([200, 403, 404]);
  });

  it('expires when nobody uses it, and is kept while a play refers to it', async () => {
    const owner = await person('flow_editor');
    const flowId = await storedFlow(mongo, owner, {}, {});
    const [used, unused] = [await upload(owner, 'used'), await upload(owner, 'unused')];
    const run = await owner.send('POST', `/api/v1/flows/${flowId}/run`, { body: { args: { file: refOf(used) } } });
    expect(run.status).toBe(202);
    await mongo
      .collection(PAYLOAD_FILES)
      .updateMany({ 'metadata.company_id': owner.scope.companyId }, { $set: { 'metadata.expiresAt': new Date(0) } });
    const open = (file: Json) => payloads.userFiles.open(owner.scope, textOf(file.$ref).slice(-24));
    expect(await open(unused)).toBeNull();
    await payloads.removeUnreferenced(owner.scope);
    expect(await filesOf(owner.scope.companyId)).toBe(1);
    expect(await open(used)).not.toBeNull();
    const uses = mongo.collection('file_uses');
    await uses.updateMany({ company_id: owner.scope.companyId }, { $unset: { newAt: true } });
    await mongo.collection<{ _id: string }>('plays').deleteOne({ _id: textOf(run.body.playId) });
    await payloads.letGo(owner.scope, [textOf(run.body.playId)]);
    expect(await payloads.removeUnreferenced(owner.scope)).toBe(1);
    expect(await filesOf(owner.scope.companyId)).toBe(0);
  });

  it('is refused when the company has as many as it may have', async () => {
    const owner = await person('flow_editor');
    const row = (i: number) => ({
      length: 1,
      chunkSize: 1,
      uploadDate: new Date(),
      filename: String(i),
      metadata: {
        company_id: owner.scope.companyId,
        playIds: [],
        madeFor: 'upload',
        expiresAt: new Date(Date.now() + 3_600_000),
      },
    });
    await mongo.collection(PAYLOAD_FILES).insertMany(Array.from({ length: 10_000 }, (_, i) => row(i)));
    expect(await upload(owner, 'x')).toMatchObject({ status: 422, code: 'uploads_full' });
    expect(await upload(editor, 'x')).toMatchObject({ status: 201 });
  });

  it('is not held in memory: twenty at once', { timeout: 120_000 }, async () => {
    const owner = await person('flow_editor');
    const piece = Buffer.alloc(1024 * 1024);
    let sent = 0;
    let most = 0;
    const held = () => heldBytes('arrayBuffers');
    const before = held();
    async function* body() {
      for (let i = 0; i < MB_AT_ONCE; i += 1) {
        sent += 1;
        // of what is held: what nobody holds any more may wait long to be collected
        if (sent % 20 === 0) most = Math.max(most, held());
        yield piece;
      }
    }
    const uploads = Array.from({ length: 20 }, () =>
      upload(owner, Readable.toWeb(Readable.from(body(), { objectMode: true, highWaterMark: 1 })) as Body),
    );
    const answers = await Promise.all(uploads);
    expect(answers.map(({ status, bytes }) => [status, bytes])).toEqual(
      Array.from({ length: 20 }, () => [201, MB_AT_ONCE * 1024 * 1024]),
    );
    expect(sent).toBe(20 * MB_AT_ONCE);
    // sender and receiver are one process here, so the piece that is sent is always counted
    expect(most).toBeGreaterThanOrEqual(piece.length);
    expect(most - before).toBeLessThan(128 * 1024 * 1024);
  });
});

describe('args that were uploaded', () => {
  const order = (flowId: string, args: unknown, more: object = {}) =>
    editor.send('POST', `/api/v1/flows/${flowId}/run`, { body: { args, ...more } });

  it('are those of the play, small or large, without a copy', async () => {
    const flowId = await storedFlow(mongo, editor, {}, {});
    for (const value of [{ n: 1 }, { text: 'x'.repeat(5 * 1024 * 1024) }]) {
      const uploaded = await uploadJson(value);
      const before = await filesOf(companyId);
      const run = await order(flowId, { ...uploaded, status: undefined });
      expect(run.status).toBe(202);
      expect((await editor.send('GET', `/api/v1/plays/${textOf(run.body.playId)}`)).body.args).toEqual(value);
      expect(await filesOf(companyId)).toBe(before);
    }
  });

  it('are judged by the schema of the flow, and compared under an idempotency key', async () => {
    const argsSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const flowId = await storedFlow(mongo, editor, {}, { argsSchema });
    const bad = refOf(await uploadJson({ n: 'one' }));
    expect((await order(flowId, bad)).body.code).toBe('invalid_args');
    const good = refOf(await uploadJson({ n: 1 }));
    const other = refOf(await uploadJson({ n: 2 }));
    const key = { idempotencyKey: 'k' };
    expect((await order(flowId, good, key)).status).toBe(202);
    expect((await order(flowId, { n: 1 }, key)).headers).not.toHaveProperty('idempotency-mismatch');
    expect((await order(flowId, other, key)).headers).toHaveProperty('idempotency-mismatch');
  });

  it.each([
    ['text', 'not JSON', 'malformed_json'],
    ['a list', '[1]', 'invalid_body'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'malformed_json'],
    ['16 MB that is nested deep', '[{"a":'.repeat(2_500_000), 'value_too_large'],
    ['7 MB that is nested deep', `{"a":${'['.repeat(3_500_000)}${']'.repeat(3_500_000)}}`, 'malformed_json'],
    ['a key that poisons objects', '{"a":{"__proto__":{"x":1}}}', 'invalid_body'],
  ])('are refused when they are %s', async (_what, body, code) => {
    const flowId = await storedFlow(mongo, editor, {}, {});
    const uploaded = await upload(editor, body as Body);
    expect((await order(flowId, refOf(uploaded))).body.code).toBe(code);
  });

  it('are refused when they, or files in them, are of another company, unknown or no files', async () => {
    const flowId = await storedFlow(mongo, editor, {}, {});
    const theirs = refOf(await uploadJson({ n: 1 }, stranger));
    const output = await payloads.put(editor.scope, { playId: 'p', flowId }, Buffer.from('{}'));
    const forged = [
      theirs,
      { $ref: `/api/v1/payloads/${'a'.repeat(24)}` },
      { $ref: `/api/v1/payloads/${output.$ref}` },
    ];
    for (const ref of forged) {
      expect((await order(flowId, ref)).body.code).toBe('unknown_id');
      expect((await order(flowId, { deep: [{ file: ref }] })).body.code).toBe('unknown_id');
    }
    const data = [{ $ref: '#/definitions/a' }, { $ref: '/api/v1/payloads/../plays/x' }, { $ref: 1 }];
    for (const value of data) expect((await order(flowId, { value })).status).toBe(202);
  });

  it('stand in no batch', async () => {
    const flowId = await storedFlow(mongo, editor, {}, {});
    const body = { runs: [{ args: refOf(await uploadJson({})) }, { args: {} }] };
    const { items } = (await editor.send('POST', `/api/v1/flows/${flowId}/run-batch`, { body })).body;
    expect(items).toMatchObject([{ error: { code: 'invalid_body' } }, { state: 'RUN' }]);
  });

  it('are taken over by a rerun', async () => {
    const flowId = await storedFlow(mongo, editor, {}, {});
    const value = { text: 'x'.repeat(600_000) };
    const run = await order(flowId, refOf(await uploadJson(value)));
    const again = await editor.send('POST', `/api/v1/plays/${textOf(run.body.playId)}/rerun`, { body: {} });
    expect((await editor.send('GET', `/api/v1/plays/${textOf(again.body.playId)}`)).body.args).toEqual(value);
  });
});

it('a file of a play is given to who may read the play', async () => {
  const flowId = await storedFlow(mongo, editor, {}, { restricted: true });
  const file = await upload(editor, 'shared');
  await editor.send('POST', `/api/v1/flows/${flowId}/run`, { body: { args: { file: refOf(file) } } });
  const colleague = await person('flow_editor', companyId);
  expect((await send(colleague, textOf(file.$ref))).status).toBe(403);
  expect((await send(await person('admin', companyId), textOf(file.$ref))).status).toBe(200);
});

it('a file of many plays is given to who may read any of them', async () => {
  const [hidden, open] = [
    await storedFlow(mongo, editor, {}, { restricted: true }),
    await storedFlow(mongo, editor, {}),
  ];
  const file = await upload(editor, 'shared');
  const body = { args: { file: refOf(file) } };
  const colleague = await person('flow_editor', companyId);
  await editor.send('POST', `/api/v1/flows/${open}/run`, { body });
  for (let n = 0; n < 30; n += 1) await editor.send('POST', `/api/v1/flows/${hidden}/run`, { body });
  expect((await send(colleague, textOf(file.$ref))).status).toBe(200);
  expect((await send(stranger, textOf(file.$ref))).status).toBe(404);
});
