// @ts-check
/**
 * What a layer `operation` costs more than the `web-request` that it becomes: CPU of a call over HTTP on this machine, from its arguments
 * to the BSON of its result.
 *
 *     npm run build && node tools/node24.mjs test/bench/operation.mjs
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import mongoose from 'mongoose';

/**
 * In a batch; the two take turns, so that what else the machine does meets both. As many as cause several collections of garbage: with one
 * in two batches, one of the two would pay for both.
 */
const CALLS = 1_920;
/** As in a worker: one call after the other would measure how fast a processor wakes up. */
const IN_PARALLEL = 16;
const ROUNDS = 24;

/** @param {number} count */
function ordersOf(count) {
  return Array.from({ length: count }, (_, i) => ({
    id: i,
    customer: `person.${i}@example.com`,
    total: i * 1.25,
    paid: i % 2 === 0,
    lines: [{ sku: `sku-${i}`, count: 2 }],
  }));
}

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  components: {
    schemas: {
      Line: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' }, count: { type: 'integer' } } },
      Order: {
        type: 'object',
        required: ['id', 'customer'],
        properties: {
          id: { type: 'integer', minimum: 0 },
          customer: { type: 'string', format: 'email' },
          total: { type: 'number' },
          paid: { type: ['boolean', 'null'] },
          lines: { type: 'array', items: { $ref: '#/components/schemas/Line' } },
        },
      },
    },
  },
  paths: {
    '/orders/{shop}': {
      post: {
        operationId: 'findOrders',
        parameters: [
          { name: 'shop', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
          { name: 'tags', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
        ],
        requestBody: {
          content: { 'application/json': { schema: { type: 'object', properties: { customer: { type: 'string' } } } } },
        },
        responses: {
          200: {
            content: {
              'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Order' } } },
            },
          },
        },
      },
    },
  },
};

if (process.argv[2] === 'serve') await serve();
else await measure();

/** In a process of its own: its CPU is not that of the call. */
async function serve() {
  const answer = JSON.stringify(ordersOf(Number(process.argv[3])));
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.(/** @type {import('node:net').AddressInfo} */ (server.address()).port);
  process.once('disconnect', () => server.close());
}

async function measure() {
  for (const count of [1, 10, 40]) {
    const child = fork(new URL(import.meta.url), ['serve', String(count)]);
    const [port] = /** @type {[number]} */ (await once(child, 'message'));
    const costs = await compare(port);
    const [before, after] = costs;
    const more = ((after - before) / before) * 100;
    const bytes = JSON.stringify(ordersOf(count)).length;
    console.log(
      `answer of ${bytes} B: web-request ${before.toFixed(0)} µs, operation ${after.toFixed(0)} µs (${more >= 0 ? '+' : ''}${more.toFixed(1)} %)`,
    );
    child.disconnect();
  }
}

/** @param {number} port @returns {Promise<[number, number]>} microseconds of a call: medians */
async function compare(port) {
  const lib = (/** @type {string} */ name) =>
    import(new URL(`../../dist/libs/${name}/src/index.js`, import.meta.url).href);
  const [
    { LayerRunner, prepareVersion, InlineBudget },
    { createEgressClient },
    { readApi },
    { acceptPlay },
    { Sandbox },
  ] = await Promise.all([lib('layers'), lib('egress'), lib('openapi'), lib('engine'), lib('sandbox')]);
  const { layerShape } = await lib('shapes');
  const server = `http://127.0.0.1:${port}`;
  const { operations } = readApi(Buffer.from(JSON.stringify({ ...DOCUMENT, servers: [{ url: server }] })), null);
  const face = { ...operations[0], baseUrl: null, linkKinds: [], warnings: [] };
  const http = createEgressClient({ allow: [{ cidr: '127.0.0.1/32', port }] });
  const sandbox = new Sandbox({ concurrency: 1 });
  const nobody = () => Promise.reject(new Error('nothing is stored here'));
  const payloads = { put: nobody, upload: nobody, open: nobody, discard: nobody };
  const runner = new LayerRunner({ http, sandbox, payloads, serverNow: Date.now });
  const layers = [
    {
      appId: 'web-request',
      args: {
        method: 'POST',
        url: `${server}/orders/{{ $prev.args.shop }}?limit=10&tags=a,b`,
        headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
        body: { customer: '{{ $prev.args.customer }}' },
      },
    },
    {
      appId: 'operation',
      args: {
        api: 'shop',
        operation: 'findOrders',
        input: {
          path: { shop: '{{ $prev.args.shop }}' },
          query: { limit: 10, tags: ['a', 'b'] },
          body: { customer: '{{ $prev.args.customer }}' },
        },
      },
    },
  ].map((layer, index) => ({ ...layerShape.parse({ ref: 'l', ...layer }), id: `l${index}`, name: 'l', index }));
  const of = { flowId: 'f', companyId: 'c', version: 1 };
  const settings = { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null };
  const prepared = prepareVersion(
    { ...of, name: 'Flow', settings, layers },
    'Acme',
    undefined,
    new Map([['shop/findOrders', face]]),
  );
  const play = acceptPlay({
    ...{ ...of, playId: 'p', args: { shop: 'here', customer: 'a@example.com' }, idempotencyKey: null, dueAt: null },
    ...{ trigger: 'api', triggeredBy: null, serverNow: new Date() },
  });
  /** @param {number} position */
  const call = async (position) => {
    const { outcome } = await runner.run({
      ...{ play, prepared, position, attempt: 1, wait: null, answer: null, outputs: new Map(), errors: new Map() },
      ...{ inlineBudget: new InlineBudget(), by: 'me', signal: new AbortController().signal },
    });
    if (outcome.kind !== 'result' || outcome.result.state !== 'DONE') throw new Error(JSON.stringify(outcome));
    return mongoose.mongo.BSON.serialize(outcome.result);
  };
  /** @param {number} position */
  const batch = async (position) => {
    const from = process.cpuUsage();
    const lane = async () => {
      for (let i = 0; i < CALLS / IN_PARALLEL; i += 1) await call(position);
    };
    await Promise.all(Array.from({ length: IN_PARALLEL }, lane));
    const { user, system } = process.cpuUsage(from);
    return (user + system) / CALLS;
  };
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push([await batch(0), await batch(1)]);
  // the first ones compile
  const warm = rounds.slice(ROUNDS / 4);
  const [before, ratio] = [warm.map(([web = 0]) => web), warm.map(([web = 1, own = 0]) => own / web)].map(medianOf);
  await Promise.all([http.close(), sandbox.close()]);
  return [before ?? 0, (before ?? 0) * (ratio ?? 0)];
}

/** @param {readonly number[]} values */
function medianOf(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
