import type { AddressInfo } from 'node:net';
import { ledgerServer, waitFor } from '@weft/testing';
import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { afterAll, describe, expect, it } from 'vitest';
import { liveApi, textOf, type Json } from '../../../../../test/api/live-api.js';

const { app, mongo, person, signIn } = await liveApi();
const editor = await person('flow_editor');
const companyId = editor.scope.companyId;
/** Counts what reaches it: nothing may. */
const canary = await ledgerServer();
afterAll(() => canary.close());

const at = (flowId: string, path = ''): string => `/api/v1/flows/${flowId}${path}`;

/** Asks the canary and tells its answer; the canary must never hear of it. */
async function newFlow(fields: object = {}): Promise<string> {
  const { body } = await editor.send('POST', '/api/v1/flows', { body: { name: 'flow', ...fields } });
  const flowId = textOf(body.id);
  const ask = { ref: 'ask', appId: 'web-request', args: { url: `${canary.url}/{{ $prev.args.n }}`, method: 'POST' } };
  const tell = { ref: 'tell', appId: 'text-template', args: { template: 'It is {{ .ask.json.name }}.' } };
  for (const layer of [ask, tell]) {
    expect((await editor.send('POST', at(flowId, '/layers'), { body: layer })).status).toBe(201);
  }
  return flowId;
}

const fixtures = { ask: { statusCode: 200, json: { name: 'Ada' } } };
const good = { name: 'good', args: { n: 1 }, fixtures, expected: { tell: { text: 'It is Ada.' } } };
const bad = { ...good, name: 'bad', required: true, expected: { tell: { text: 'It is Bob.' } } };

async function addCase(flowId: string, body: object): Promise<string> {
  const answer = await editor.send('POST', at(flowId, '/test-cases'), { body });
  expect(answer.status).toBe(201);
  return textOf(answer.body.id);
}

/** Of this company: the API of this worker does other work, too. */
async function countAll(): Promise<Record<string, number>> {
  const collections = await mongo.db.listCollections({}, { nameOnly: true }).toArray();
  const own = ['company_id', 'CompanyID', 'metadata.company_id'].map((field) => ({ [field]: companyId }));
  const counts = collections.map(
    async ({ name }) => [name, await mongo.collection(name).countDocuments({ $or: own })] as const,
  );
  return Object.fromEntries(await Promise.all(counts));
}

describe('a dry run over HTTP', () => {
  it('tells what each layer would do, stores nothing and calls nobody', async () => {
    const flowId = await newFlow();
    const before = await countAll();
    const run = await editor.send('POST', at(flowId, '/dry-run'), { body: { args: { n: 1 }, fixtures } });
    expect(run).toMatchObject({
      status: 200,
      body: {
        state: 'DONE',
        error: null,
        layers: [
          { ref: 'ask', appId: 'web-request', index: 0, state: 'DONE', out: fixtures.ask, error: null },
          { ref: 'tell', appId: 'text-template', index: 1, state: 'DONE', out: { text: 'It is Ada.' }, error: null },
        ],
        missingFixtures: [],
      },
    });
    const without = await editor.send('POST', at(flowId, '/dry-run'), { body: { args: { n: 1 } } });
    expect(without.body).toMatchObject({
      state: 'NOT_TRIED',
      missingFixtures: ['ask'],
      layers: [{ out: null }, { ref: 'tell' }],
    });
    expect(await countAll()).toEqual(before);
    expect(canary.calls).toEqual([]);
  });

  it('answers a run whose condition says no as it would be answered', async () => {
    const flowId = await newFlow({ when: '{{ $prev.args.on }}' });
    const stateOf = async (args: object) =>
      (await editor.send('POST', at(flowId, '/dry-run'), { body: { args: { n: 1, ...args }, fixtures } })).body.state;
    expect([await stateOf({}), await stateOf({ on: false }), await stateOf({ on: true })]).toEqual([
      'SKIP',
      'SKIP',
      'DONE',
    ]);
  });

  it('holds outputs to its own limit', async () => {
    const flowId = await newFlow();
    const large = { ask: { json: { name: 'x'.repeat(300_000) } } };
    const run = await editor.send('POST', at(flowId, '/dry-run'), { body: { args: { n: 1 }, fixtures: large } });
    expect(run.body).toMatchObject({ state: 'FAIL', error: { code: 'output_too_large' } });
  });

  it('is for who may execute the flow', async () => {
    const flowId = await newFlow();
    const path = at(flowId, '/dry-run');
    expect((await (await person('viewer', companyId)).send('POST', path)).body.code).toBe('denied');
    expect((await (await person('flow_executor', companyId)).send('POST', path)).status).toBe(200);
    expect((await (await person('admin')).send('POST', path)).status).toBe(404);
  });
});

describe('test cases over HTTP', () => {
  it('are made, read, listed, changed and deleted, and each change is audited', async () => {
    const flowId = await newFlow();
    const made = await editor.send('POST', at(flowId, '/test-cases'), { body: good });
    const path = at(flowId, `/test-cases/${textOf(made.body.id)}`);
    expect(made).toMatchObject({
      status: 201,
      headers: { location: path },
      body: { ...good, flowId, required: false, createdBy: editor.userId },
    });
    expect((await editor.send('GET', path)).body).toEqual(made.body);
    const changed = await editor.send('PATCH', path, { body: { required: true, expected: {} } });
    expect(changed.body).toMatchObject({ ...good, required: true, expected: {} });
    await editor.send('PATCH', path, { body: { required: true } });
    await addCase(flowId, { name: 'later' });
    const listed = await editor.send('GET', at(flowId, '/test-cases?size=1'));
    expect(listed.body).toMatchObject({ total: 2, size: 1, items: [{ name: 'later', args: {}, required: false }] });
    expect((await editor.send('DELETE', path)).status).toBe(204);
    expect((await editor.send('DELETE', path)).status).toBe(404);
    expect((await editor.send('GET', path)).status).toBe(404);
    const entries = mongo.collection<AuditDocument>(AUDIT_LOGS).find({ resource_id: flowId }).sort({ _id: 1 });
    expect((await entries.toArray()).map(({ action_type }) => action_type).slice(3)).toEqual([
      'test_case_created',
      'test_case_updated',
      'test_case_created',
      'test_case_deleted',
    ]);
    expect((await editor.send('GET', at(flowId))).body.version).toBe(3);
  });

  it('run without a call, and show what differs', async () => {
    const flowId = await newFlow();
    const [passes, fails, lacks] = [
      await addCase(flowId, good),
      await addCase(flowId, bad),
      await addCase(flowId, { name: 'x' }),
    ];
    const { status, body } = await editor.send('POST', at(flowId, '/test-cases/run'));
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        passed: 1,
        failed: 2,
        items: [
          { caseId: passes, passed: true, differences: [] },
          {
            caseId: fails,
            passed: false,
            differences: [{ path: 'tell.text', expected: 'It is Bob.', actual: 'It is Ada.' }],
          },
          { caseId: lacks, passed: false },
        ],
      },
    });
    expect(canary.calls).toEqual([]);
  });

  it('keep a flow from being enabled while a required one fails, with the difference', async () => {
    const flowId = await newFlow({ enabled: false });
    await addCase(flowId, { ...bad, name: 'optional', required: false });
    const caseId = await addCase(flowId, bad);
    const enable = () => editor.send('PUT', at(flowId), { body: { enabled: true, name: 'on' } });
    const message = 'tell.text is "It is Ada." instead of "It is Bob."';
    expect((await enable()).body).toMatchObject({
      status: 422,
      code: 'required_case_failed',
      errors: [{ path: 'testCases.bad.tell.text', code: 'required_case_failed', message }],
      cases: [{ caseId, name: 'bad', differences: [{ expected: 'It is Bob.', actual: 'It is Ada.' }] }],
    });
    expect((await editor.send('GET', at(flowId))).body).toMatchObject({ enabled: false, name: 'flow' });
    expect((await editor.send('POST', at(flowId, '/validate'))).body).toMatchObject({
      valid: false,
      errors: [{ path: 'testCases.bad.tell.text', message }],
    });
    await editor.send('PATCH', at(flowId, `/test-cases/${caseId}`), { body: { expected: good.expected } });
    expect((await enable()).body).toMatchObject({ enabled: true, name: 'on' });
  });

  it('are judged at enabling, not at each change of an enabled flow; a restored version is one', async () => {
    const flowId = await newFlow();
    await addCase(flowId, { ...good, required: true });
    const [, tell] = (await editor.send('GET', at(flowId, '/layers'))).body as unknown as readonly Json[];
    const path = at(flowId, `/layers/${textOf(tell?.id)}`);
    expect((await editor.send('PUT', path, { body: { args: { template: 'broken' } } })).status).toBe(200);
    expect((await editor.send('PUT', path, { body: { args: tell?.args } })).status).toBe(200);
    const restored = await editor.send('POST', at(flowId, '/versions/4/restore'));
    expect(restored.body).toMatchObject({ status: 422, code: 'required_case_failed' });
    expect((await editor.send('POST', at(flowId, '/versions/3/restore'))).status).toBe(200);
  });

  it('are few and small enough', async () => {
    const flowId = await newFlow();
    const large = { name: 'x', args: { text: 'x'.repeat(140_000) } };
    expect((await editor.send('POST', at(flowId, '/test-cases'), { body: large })).body.code).toBe('body_too_large');
    const layers = [{ ref: 'a', appId: 'text-template', args: { template: 'x' } }];
    const testCases = Array.from({ length: 100 }, (_, i) => ({ name: `case ${i}`, expected: { a: { text: 'x' } } }));
    const document = { schema: 'weft.flow/1', name: 'x', layers, testCases };
    const imported = await editor.send('POST', '/api/v1/flows/import', { body: { document } });
    const full = textOf(imported.body.id);
    const one = await editor.send('POST', at(full, '/test-cases'), { body: { name: 'one more' } });
    expect(one.body).toMatchObject({ status: 422, code: 'too_many_test_cases' });
    expect((await editor.send('POST', at(full, '/test-cases/run'))).body).toMatchObject({ passed: 100, failed: 0 });
  });

  it('are gone with their flow, and there again when it comes back', async () => {
    const admin = await person('admin', companyId);
    const flowId = await newFlow();
    const path = at(flowId, `/test-cases/${await addCase(flowId, good)}`);
    await admin.send('DELETE', at(flowId));
    for (const each of [path, at(flowId, '/test-cases')]) expect((await admin.send('GET', each)).status).toBe(404);
    await admin.send('POST', at(flowId, '/restore'));
    expect((await admin.send('GET', path)).status).toBe(200);
  });

  it('are shown to readers, changed by editors, and nothing to another company', async () => {
    const flowId = await newFlow();
    const path = at(flowId, `/test-cases/${await addCase(flowId, good)}`);
    const viewer = await person('viewer', companyId);
    const stranger = await person('admin');
    expect((await viewer.send('GET', path)).status).toBe(200);
    for (const [method, where] of [
      ['POST', at(flowId, '/test-cases')],
      ['PATCH', path],
      ['DELETE', path],
      ['POST', at(flowId, '/test-cases/run')],
    ] as const) {
      const body = method === 'POST' ? { name: 'x' } : undefined;
      const sent = where.endsWith('/run') ? {} : { body };
      expect([method, (await viewer.send(method, where, sent)).body.code]).toEqual([method, 'denied']);
      expect([method, (await stranger.send(method, where, sent)).status]).toEqual([method, 404]);
    }
    expect((await stranger.send('GET', path)).status).toBe(404);
    const elsewhere = at(await newFlow(), `/test-cases/${textOf((await viewer.send('GET', path)).body.id)}`);
    expect((await editor.send('GET', elsewhere)).status).toBe(404);
  });
});

describe('validation over HTTP', () => {
  it('says that a flow is fine, or all that keeps it from running, and what is doubtful', async () => {
    const flowId = await newFlow();
    const validate = async () => (await editor.send('POST', at(flowId, '/validate'))).body;
    expect(await validate()).toEqual({ valid: true, errors: [], warnings: [] });
    const layer = { ref: 'odd', appId: 'text-template', args: { template: '{{ .aks.x }} {{ $blueprint.x }}' } };
    await editor.send('POST', at(flowId, '/layers'), { body: { ...layer, timeoutMs: 5 } });
    expect(await validate()).toMatchObject({
      valid: false,
      errors: [
        {
          path: 'layers.odd.args.template',
          code: 'unknown_ref',
          message: expect.stringContaining('did you mean ask') as string,
        },
        { path: 'layers.odd', code: 'missing_blueprint_vars' },
      ],
      warnings: [{ path: 'layers.odd.timeoutMs', code: 'no_effect' }],
    });
  });
});

describe('rehearsals that nobody waits for any more', () => {
  it('leave the line of the company at once', async () => {
    const slow = textOf((await editor.send('POST', '/api/v1/flows', { body: { name: 'slow' } })).body.id);
    const endless = { ref: 'loop', appId: 'code', args: { source: 'for (;;);' } };
    expect((await editor.send('POST', at(slow, '/layers'), { body: endless })).status).toBe(201);
    await addCase(slow, { name: 'ends', required: true });
    const quick = await newFlow();
    const rehearse = async (): Promise<number> =>
      (await editor.send('POST', at(quick, '/dry-run'), { body: { args: { n: 1 }, fixtures } })).status;

    const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
    const headers = { cookie: await signIn(editor.userId, companyId) };
    const gone = new AbortController();
    const url = `http://127.0.0.1:${port}${at(slow, '/validate')}`;
    const asked = Array.from({ length: 12 }, async () => {
      const { status } = await fetch(url, { method: 'POST', headers, signal: gone.signal });
      return status;
    });
    expect(await Promise.race(asked)).toBe(429);
    gone.abort();
    await Promise.allSettled(asked);
    // one at a time they would leave for a minute
    const areAll = async (): Promise<boolean> =>
      (await Promise.all(Array.from({ length: 11 }, rehearse))).every((status) => status === 200);
    await waitFor(areAll, { what: 'room for eleven' });
  });
});
