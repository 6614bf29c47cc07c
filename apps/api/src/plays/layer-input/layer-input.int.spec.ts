import type { LayerDefinition, LayerResult } from '@weft/engine';
import { FLOW_VERSIONS } from '@weft/records';
import { PayloadStore } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { liveApi, newId, textOf } from '../../../../../test/api/live-api.js';
import { resultAt, storedFlow, storedPlays } from '../../../../../test/api/stored-play.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const admin = await person('admin', editor.scope.companyId);
const viewer = await person('viewer', editor.scope.companyId);
const storePlay = storedPlays(mongo, editor);

const error = { code: 'bad_status', message: 'a.test answered 422', statusCode: 422 };

async function playOf(args: object, results: readonly LayerResult[], fields: object = {}) {
  const flowId = await storedFlow(mongo, editor, { get: 'web-request', push: 'web-request' }, fields);
  await mongo
    .collection<{ flowId: string; layers: LayerDefinition[] }>(FLOW_VERSIONS)
    .updateOne({ flowId }, { $set: { 'layers.1.args': args } });
  return storePlay(flowId, { state: 'FAIL', layers: results });
}

const inputOf = (playId: string, by = viewer, ref = 'push', query = '') =>
  by.send('GET', `/api/v1/plays/${playId}/layers/${ref}/input${query}`);

const get = (out: unknown) => resultAt(0, 'get', { out });
const push = resultAt(1, 'push', { state: 'FAIL', out: null, error });

describe('the input of a layer over HTTP', () => {
  it('has the values, the expressions and the request as a command', async () => {
    const args = { method: 'POST', url: 'https://a.test/{{ .get.json.id }}', body: { n: '{{ $prev.args.$n }}' } };
    const play = await playOf({ ...args, body: { n: '{{ .get.json.n }}' } }, [get({ json: { id: 'x', n: 1 } }), push]);
    const { status, body } = await inputOf(play._id);
    expect([status, body]).toEqual([
      200,
      {
        args: { method: 'POST', url: 'https://a.test/x', body: { n: 1 } },
        expressions: { '/url': args.url, '/body/n': '{{ .get.json.n }}' },
        unresolved: [],
        ...{ item: null, of: null, label: null },
        curl: [
          `curl -X POST`,
          `--globoff`,
          `--location`,
          `'https://a.test/x'`,
          `-H 'Idempotency-Key: ${play._id}.1'`,
          `-H 'Content-Type: application/json'`,
          `--data-raw '{"n":1}'`,
        ].join(' \\\n  '),
      },
    ]);
  });

  it('keeps every digit of large integers', async () => {
    const stored = await new PayloadStore(mongo).put(
      ...([editor.scope, { playId: newId(), flowId: 'f' }, Buffer.from('{"json":{"id":9007199254740993}}')] as const),
    );
    const outRef = { ...stored, bytes: 40 };
    const play = await playOf({ url: 'https://a.test', method: 'POST', body: { id: '{{ .get.json.id }}' } }, [
      resultAt(0, 'get', { out: null, outRef, outBytes: 40 }),
      push,
    ]);
    const { body } = await inputOf(play._id);
    expect(textOf(body.curl)).toContain('{"id":9007199254740993}');
  });

  it('shows no secret: of names that mean one, of variables, of links', async () => {
    const link = await admin.send('POST', '/api/v1/integrations', {
      body: {
        ...{ type: 'crm', name: 'CRM', kind: 'header', access_token: 's3cr3t-token-of-the-link' },
        ...{ endpoint: 'https://a.test', settings: { header: 'X-Crm-Key' } },
      },
    });
    const integrationId = textOf(link.body.id);
    const args = {
      url: 'https://a.test',
      query: { key: '{{ $blueprint.api_key }}', shop: '{{ $blueprint.shop }}' },
      headers: { Authorization: 'Bearer {{ .get.json.token }}', 'X-Mine': '{{ $link.access_token }}' },
      auth: { integrationId },
    };
    const play = await playOf(args, [get({ json: { token: 'tok-1234567890' } }), push]);
    await mongo
      .collection(FLOW_VERSIONS)
      .updateOne({ flowId: play.flowId }, { $set: { blueprintVars: { api_key: 'k-987654321', shop: 'berlin' } } });
    const { body } = await inputOf(play._id);
    expect(body.args).toEqual({
      url: 'https://a.test',
      query: { key: '[secret]', shop: 'berlin' },
      headers: { Authorization: '[secret]', 'X-Mine': '[secret]' },
      auth: { integrationId },
    });
    for (const secret of ['tok-12', 'k-98', 's3cr3t']) expect(JSON.stringify(body)).not.toContain(secret);
    // only those who may see the link learn the name of its header
    expect(textOf(body.curl)).not.toContain('X-Crm-Key');
    expect(textOf((await inputOf(play._id, admin)).body.curl)).toContain("-H 'X-Crm-Key: [secret]'");
  });

  it.each<[unknown, string | null]>([
    [{ order: 104, total: 9 }, 'order 104'],
    [{ lines: [], api_key: 'k-987654321', name: ' Ada\n Lovelace ' }, 'name Ada Lovelace'],
    ['x'.repeat(100), `${'x'.repeat(79)}…`],
    [[1], null],
  ])('says which item of how many it is: %j', async (each, label) => {
    const flowId = await storedFlow(mongo, editor, { push: 'web-request' });
    const set = { 'layers.0.forEach': { in: '{{ $prev.args.list }}' }, 'layers.0.args': { url: 'https://a.test' } };
    await mongo.collection(FLOW_VERSIONS).updateOne({ flowId }, { $set: set });
    const failed = resultAt(0, 'push', { state: 'FAIL', out: null, error: { ...error, item: 1 } });
    const play = await storePlay(flowId, { state: 'FAIL', args: { list: [0, each] }, layers: [failed] });
    expect((await inputOf(play._id)).body).toMatchObject({ item: 1, of: 2, label });
  });

  it('refuses what is not there, what is too large, and whoever may not read the flow', async () => {
    const play = await playOf({ url: 'https://a.test', body: '{{ .get.text }}' }, [
      get({ text: 'x'.repeat(9_000) }),
      push,
    ]);
    expect((await inputOf(play._id, viewer, 'other')).status).toBe(404);
    expect((await inputOf(play._id, viewer, 'push', '?item=1')).body).toMatchObject({
      code: 'not_found',
      detail: 'The layer is no loop: it has no items.',
    });
    expect((await inputOf(play._id, viewer, 'push', '?item=x')).status).toBe(400);
    expect((await inputOf(play._id, await person('admin'))).status).toBe(404);
    const large = await new PayloadStore(mongo).put(
      ...([
        editor.scope,
        { playId: newId(), flowId: 'f' },
        Buffer.from(JSON.stringify({ text: 'y'.repeat(5_000_000) })),
      ] as const),
    );
    const other = await playOf({ url: 'https://a.test', body: '{{ .get.text }}' }, [
      resultAt(0, 'get', { out: null, outRef: large, outBytes: large.bytes }),
      push,
    ]);
    expect((await inputOf(other._id)).body).toMatchObject({ code: 'value_too_large' });
  });
});
