import type { FlowView, Problem } from '@weft/contracts';
import { ApiClient, type ApiAnswer } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';
import { neighbourCompany, signedIn } from './harness/neighbour-company.js';
import { rawRequest } from './harness/raw-request.js';
import { twoLayerFlow } from './harness/two-layer-flow.js';

const fleet = await sharedFleet();
const { admin, ledger } = fleet;
const { url } = admin;
const flow = await twoLayerFlow(admin, ledger.url);
const viewer = await signedIn(fleet, 'viewer', flow.company_id);
const neighbour = await neighbourCompany(fleet);
const theirs = await twoLayerFlow(neighbour, ledger.url);
const reader = admin.withKey((await admin.createApiKey({ scope: 'api:read' })).token);
const JSON_TYPE = { 'content-type': 'application/json' };
const LAYER = { ref: 'more', appId: 'text-template', args: { template: 'x' } };

/** Status and code, which identify an error. */
async function refusal(answer: Promise<ApiAnswer<unknown>>): Promise<string> {
  const { status, body } = await answer;
  return `${status} ${(body as Problem | undefined)?.code ?? ''}`.trim();
}

describe.each(['/api/v1', '/api'])('a request under %s is refused in the order of the contract', (prefix) => {
  const layers = `${prefix}/flows/${flow.id}/layers`;

  it('who → scope → role → shape → object → entity right → state → meaning', async () => {
    const rubbish = { nonsense: true };
    const anonymous = new ApiClient(url);
    expect(await refusal(anonymous.send('POST', layers, rubbish))).toBe('401 unauthenticated');
    expect(await refusal(reader.send('POST', layers, rubbish))).toBe('403 insufficient_scope');
    expect(await refusal(viewer.send('POST', `${prefix}/flows`, rubbish))).toBe('403 denied');
    expect(await refusal(viewer.send('POST', layers, rubbish))).toBe('400 unknown_field');
    expect(await refusal(viewer.send('POST', `${prefix}/flows/${theirs.id}/layers`, LAYER))).toBe('404 not_found');
    expect(await refusal(viewer.send('POST', layers, LAYER))).toBe('403 denied');

    const off = await admin.createFlow({ enabled: false });
    const run = `${prefix}/flows/${off.id}/run`;
    const twice = { delayMs: 1, runAt: new Date().toISOString() };
    expect(await refusal(admin.send('POST', run, { args: 7 }))).toBe('400 invalid_body');
    expect(await refusal(admin.send('POST', run, twice))).toBe('409 flow_disabled');
    expect(await refusal(admin.send('POST', `${prefix}/flows/${flow.id}/run`, twice))).toBe('422 both_delay_and_date');
    expect(await refusal(admin.send('POST', layers, { ...LAYER, ref: 'fetch' }))).toBe('409 ref_taken');
    expect(await refusal(admin.send('POST', layers, { ...LAYER, appId: 'nothing' }))).toBe('422 unknown_app');
  });

  it('a thing of another company, an unknown one and a malformed id look the same', async () => {
    const { playId } = await neighbour.run(theirs.id, { args: { n: 1 } });
    const plays = [playId, flow.id, 'x', '%00', '..%2fflows'];
    const flows = [theirs.id, playId, 'x', '%24ne', 'a%20b'];
    const asked = [
      ...plays.flatMap((id) => [`plays/${id}`, `plays/${id}/layers`, `plays/${id}/layers/fetch/out`]),
      ...flows.flatMap((id) => [`flows/${id}`, `flows/${id}/layers`, `flows/${id}/plays`]),
    ];
    for (const path of asked) {
      const { status, body } = await admin.send<Problem>('GET', `${prefix}/${path}`);
      expect([path, status, body.code]).toEqual([path, 404, 'not_found']);
    }
    const seen = await admin.send<Problem>('GET', `${prefix}/flows/${theirs.id}`);
    const unseen = await admin.send<Problem>('GET', `${prefix}/flows/${playId}`);
    const bare = ({ body }: ApiAnswer<Problem>) => ({ ...body, instance: '', requestId: '' });
    expect(bare(seen)).toEqual(bare(unseen));
  });

  it('nothing of another company can be changed, run or taken away', async () => {
    const [layer] = (await neighbour.send<FlowView>('GET', `/api/flows/${theirs.id}`)).body.layers ?? [];
    const path = `${prefix}/flows/${theirs.id}`;
    const order = { layerIds: theirs.layers?.map(({ id }) => id) ?? [layer?.id] };
    const attempts: [Parameters<ApiClient['send']>[0], string, unknown][] = [
      ['PUT', path, { name: 'mine' }],
      ['DELETE', path, undefined],
      ['POST', `${path}/run`, {}],
      ['POST', `${prefix}/plays`, { flowId: theirs.id }],
      ['POST', `${path}/layers`, LAYER],
      ['PUT', `${path}/layers/order`, order],
      ['PUT', `${path}/layers/${layer?.id}`, { name: 'mine' }],
      ['DELETE', `${path}/layers/${layer?.id}`, undefined],
      ['DELETE', `${prefix}/flows/${flow.id}/layers/${layer?.id}`, undefined],
      ['POST', `${path}/restore`, {}],
    ];
    for (const [method, attempted, body] of attempts) {
      expect([attempted, await refusal(admin.send(method, attempted, body))]).toEqual([attempted, '404 not_found']);
    }
    const after = await neighbour.send<FlowView>('GET', `/api/flows/${theirs.id}`);
    expect(after.body).toMatchObject({ name: theirs.name, version: 3, filteredAt: null });
    const lists = await admin.send<{ items: FlowView[] }>('GET', `${prefix}/flows`);
    expect(lists.body.items.filter(({ company_id }) => company_id !== flow.company_id)).toEqual([]);
  });
});

describe('a body is refused', () => {
  const cookie = admin.credentials;
  const post = (body: string, headers: Record<string, string> = JSON_TYPE) =>
    rawRequest(url, '/api/v1/flows', { method: 'POST', headers: { ...cookie, ...headers }, body });

  it.each([
    ['that is not JSON', '{"name":', '400 malformed_json'],
    ['that is no object', '["name"]', '400 invalid_body'],
    ['with a poisoned key', '{"name":"x","settings":{"__proto__":{"a":1}}}', '400 invalid_body'],
    ['with a filter in it', '{"name":{"$ne":null}}', '400 invalid_body'],
    ['nested deeper than 32', `{"name":${'['.repeat(40)}${']'.repeat(40)}}`, '400 malformed_json'],
    ['over 1 MB', `{"name":"${'x'.repeat(1024 * 1024)}"}`, '413 body_too_large'],
  ])('%s', async (_what, body, expected) => {
    const { status, code } = await post(body);
    expect(`${status} ${String(code)}`).toBe(expected);
  });

  it.each(['_id', 'id', 'company_id', 'createdBy', 'version', 'isAdmin', 'filteredAt', 'toString'])(
    'with the unknown field %s, which it names',
    async (field) => {
      const { status, body } = await admin.send<Problem>('POST', '/api/flows', { name: 'x', [field]: 'x' });
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'unknown_field' });
      expect(body.errors.map(({ path }) => path)).toEqual([field]);
    },
  );

  it('of another type than JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const { status, code } = await post('name=x', { 'content-type': type });
      expect([type, status, code]).toEqual([type, 415, 'unsupported_media_type']);
    }
    expect((await post('{"name":"x"}', {})).status).toBe(415);
  });
});

describe('a problem', () => {
  it('has the fields of the contract, all of them', async () => {
    const answer = await reader.send<Problem>('POST', '/api/v1/flows', {}, { 'x-request-id': 'me-1' });
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers['x-request-id']).toBe('me-1');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['cache-control']).toBe('no-store');
    const { title, detail, type, ...rest } = answer.body;
    expect([title, detail, type].every((text) => text.length > 5)).toBe(true);
    expect(rest).toEqual({
      status: 403,
      instance: '/api/v1/flows',
      code: 'insufficient_scope',
      reason: 'insufficient scope',
      retryable: false,
      requestId: 'me-1',
      errors: [],
    });
  });
});
