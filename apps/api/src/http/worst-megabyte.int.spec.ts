import { PLAYS } from '@weft/store';
import { USERS, type UserDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Json } from '../../../../test/api/live-api.js';
import { resultAt, storedFlow, storedPlays } from '../../../../test/api/stored-play.js';
import { JudgedRequests, type NamedRequest } from '../../../../test/api/worst/judged-requests.js';
import { heldBy } from '../../../../test/api/worst/loop-holds.js';
import { worstBodies } from '../../../../test/api/worst/worst-bodies.js';
import { worstPaths, worstQueries } from '../../../../test/api/worst/worst-queries.js';
import { FULLEST_FLOWS, ROWS, type World } from '../../../../test/api/worst/worst-rows.js';
import { contractRoute } from '../../../../test/rights/contract-routes.js';
import { furnished } from '../../../../test/rights/furnished.js';
import { describedOperations, type OpenApi } from '../../../../test/rights/openapi-cells.js';
import { allRoutes } from './route-table.js';

const { app, mongo, send, person, signIn } = await liveApi();
const operator = await person('admin');
await mongo.collection<UserDocument>(USERS).updateOne({ _id: operator.userId }, { $set: { operator: true } });
/** Whose session nothing ends. */
const reader = await person('admin', operator.scope.companyId);
const document = (await send('GET', '/api/openapi.json')).body as unknown as OpenApi;
const { known, pathOf } = await furnished(document, mongo, operator);

const nameOf = (method: string, path: string): string => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`;
const described = new Map(describedOperations(document, known).map((each) => [nameOf(each.method, each.path), each]));

const served = allRoutes(app.getHttpAdapter().getInstance()).filter(
  ({ method }) => !['HEAD', 'OPTIONS'].includes(method),
);
const urls = new Set(served.map(({ url }) => url));
/** Also true of what is outside of /api, except deliveries: pages and probes do no work by what they are sent. */
const hasTwin = (url: string): boolean =>
  !url.startsWith('/api/v1/') && !url.startsWith('/hooks/') && urls.has(url.replace(/^\/api\//, '/api/v1/'));
const ORDER = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'];
/** Each once, under the first of its paths; what makes something before what reads it, and what deletes it last. */
const routes = served
  .filter(({ url }) => !hasTwin(url))
  .map(({ method, url }) => ({ method, url, operation: described.get(`${method} ${url}`) }))
  .sort((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method));

const world: World = {
  async newFlow() {
    return textOf((await reader.send('POST', '/api/v1/flows', { body: { name: 'worst' } })).body.id);
  },
  async newLayer() {
    const flowId = await world.newFlow();
    const body = { ref: 'before', appId: 'transform', args: { expression: '1' } };
    const { body: made } = await reader.send('POST', `/api/v1/flows/${flowId}/layers`, { body });
    return { flowId, layerId: textOf(made.id) };
  },
  async newHook(fields) {
    const body = { name: 'worst', verifier: { type: 'none' }, ...fields };
    const flowId = await world.newFlow();
    const { body: made } = await reader.send('POST', `/api/v1/flows/${flowId}/triggers`, { body });
    return new URL(textOf(made.url)).pathname;
  },
};

const judged = new JudgedRequests(app, () => signIn(operator.userId, operator.scope.companyId));

/** Fields that are described in the same words are judged by the same code: `npm run test:faults` tries all of them all the same. */
const tried = process.env.WEFT_EVERY === undefined ? new Set<string>() : null;

/** An operation with everything that is much work in its address, and in each field of its body. */
function* worstOf({ method, url, operation }: (typeof routes)[number]): Generator<NamedRequest, void, number> {
  const path = operation ? pathOf(operation) : url.replace(/:\w+/g, 'only');
  const template = url.replace(/:(\w+)/g, '{$1}');
  for (const query of worstQueries(operation?.query ?? [], tried)) {
    yield { what: `?${query.slice(0, 20)}`, make: () => ({ method, path: `${path}?${query}` }) };
  }
  for (const worst of worstPaths(template)) yield { what: worst.slice(0, 80), make: () => ({ method, path: worst }) };
  if (method === 'GET') return;
  const bodies = worstBodies(operation?.schema, operation?.body, document, tried);
  for (let next = bodies.next(); !next.done;) {
    const { what, text } = next.value;
    next = bodies.next(yield { what, make: () => ({ method, path, text }) });
  }
  yield* ROWS[`${method} ${url}`]?.(world) ?? [];
}

describe('the worst megabyte', () => {
  it('is sent to every route that answers, and the table has no row of another', () => {
    const undescribed = routes.filter(({ method, operation }) => method !== 'GET' && !operation);
    expect(undescribed.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
    expect(routes.filter(({ method, url }) => !contractRoute(method, url))).toEqual([]);
    const asked = new Set(routes.map(({ method, url }) => `${method} ${url}`));
    expect(Object.keys(ROWS).filter((row) => !asked.has(row))).toEqual([]);
  });

  it.each(routes)('of $method $url keeps others waiting no longer than some ordinary requests', async (route) => {
    expect(await judged.faultsOf(worstOf(route))).toEqual([]);
  });
});

/** Every operation on a thing but its deletion, with ids of one that is there. */
function* operationsOn(noun: RegExp, ids: Readonly<Record<string, string>>): Generator<NamedRequest, void, number> {
  for (const { method, operation } of routes) {
    if (!operation || method === 'DELETE' || !noun.test(operation.path)) continue;
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'only');
    const text = operation.body === undefined ? undefined : JSON.stringify(operation.body);
    yield { what: `${method} ${operation.path}`, make: () => ({ method, path, text }) };
  }
}

describe('a flow that is as much as a flow may be', () => {
  it.each(Object.entries(FULLEST_FLOWS))(
    'in %s keeps nobody waiting who reads, runs or changes another',
    async (_what, text) => {
      const imported = await reader.send('POST', '/api/v1/flows/import', { body: text });
      expect(imported.status).toBe(201);
      const flowId = textOf(imported.body.id);
      const layers = await reader.send('GET', `/api/v1/flows/${flowId}/layers`);
      const layerId = textOf((layers.body as unknown as Json[])[0]?.id);
      const ids = { id: flowId, flowId, layerId, n: '1' };
      expect(await judged.faultsOf(operationsOn(/\/flows\/\{/, ids))).toEqual([]);
    },
  );
});

/** To read a play of 16 MB is most of what may be done with it, and the driver does it at once. */
const MOST_READS = 2;

describe('a play that is as much as a play may be', () => {
  it.each([
    ['numbers', Array.from({ length: 1_300 }, () => 1)],
    ['fields', Object.fromEntries(Array.from({ length: 1_300 }, (_, i) => [i.toString(36), 1]))],
  ])('in %s keeps nobody waiting who reads or changes another', async (_what, out) => {
    const refs = Array.from({ length: 500 }, (_, i) => `l${i}`);
    const flowId = await storedFlow(mongo, reader, Object.fromEntries(refs.map((ref) => [ref, 'text-template'])));
    const store = storedPlays(mongo, reader);
    const layers = refs.map((ref, i) => resultAt(i, ref, { out: { out } }));
    const [play] = [await store(flowId, { state: 'DONE', layers }), await store(flowId, { state: 'DONE', layers })];
    const reads: number[] = [];
    for (let i = 0; i < 3; i += 1)
      reads.push((await heldBy(() => mongo.collection<{ _id: string }>(PLAYS).findOne({ _id: play._id }))).longestMs);
    const floor = { what: 'reads of it', most: MOST_READS, ms: Math.max(...reads) };
    const operations = operationsOn(/\/plays(\/\{|$)/, { id: play._id, flowId, ref: 'l1' });
    expect(await judged.faultsOf(operations, floor)).toEqual([]);
  });
});
