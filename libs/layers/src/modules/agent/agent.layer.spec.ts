import { createEgressClient } from '@weft/egress';
import { modelProvider, type ModelRequest } from '@weft/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { NO_REQUEST } from '@weft/openapi';
import type { Face } from '../../face.js';
import type { LayerFailure, Output } from '../../layer-module.js';
import { decide, endPlays, newWorld, runOnce, type RunOptions, type StepsWorld } from '../../loops/steps.fixture.js';
import { faceOf } from '../operation/shop.fixture.js';
import { agent } from './agent.layer.js';

const provider = await modelProvider();
const http = createEgressClient({ allow: [{ cidr: '127.0.0.1/32', port: null }] });
afterAll(() => Promise.all([provider.close(), http.close()]));

const OPEN_TASK: Face = {
  ...{
    title: 'Open a task',
    description: 'Opens a task.',
    digest: 'd',
    outSchema: {},
    plan: NO_REQUEST,
    baseUrl: null,
  },
  argsSchema: {
    type: 'object',
    properties: { title: { type: 'string' }, tenant: { type: 'string' } },
    required: ['title'],
  },
  ...{ linkKinds: [], warnings: [] },
};
const faces = new Map<string, Face>([
  ['flow:open-task', OPEN_TASK],
  ['shop/getOrder', faceOf('getOrder', { baseUrl: 'http://shop.example' })],
]);
const ARGS = {
  ...{ integrationId: 'model', model: 'm', instructions: 'Help.', input: 'What is open?' },
  tools: [
    { kind: 'flow', flowId: 'open-task', name: 'task', parallel: true },
    { kind: 'operation', api: 'shop', operation: 'getOrder', name: 'order', parallel: true },
  ],
};
const task = (title: string) => ({ name: 'task', arguments: { title } });
const order = (id: number) => ({ name: 'order', arguments: { path: { id } } });

/** Calls of the shop, and what it answers. */
let shop: string[] = [];
let shopAnswers: object = { id: 1 };
beforeEach(() => {
  shop = [];
  shopAnswers = { id: 1 };
});

const optionsWith = (args: object = {}, more: Partial<RunOptions> = {}): RunOptions => ({
  ...{ args: { ...ARGS, ...args }, faces },
  services: (death) => ({
    http: {
      close: async () => undefined,
      request: (asked) =>
        death.through(async () => {
          if (!asked.url.startsWith('http://shop.example')) return http.request(asked);
          shop.push(`${asked.headers?.['Idempotency-Key'] ?? ''} ${asked.url}`);
          const body = Buffer.from(JSON.stringify(shopAnswers));
          return { statusCode: 200, headers: { 'content-type': 'application/json' }, body, url: asked.url };
        }),
    },
    integrations: {
      connection: async () => ({ type: 'openai', endpoint: provider.url, secret: 'key', kind: 'bearer' }),
    },
  }),
  ...more,
});

/** Runs to the output of the layer: people and plays do what is waited for. */
async function runToEnd(
  world: StepsWorld,
  options: (turn: number) => RunOptions,
  decision: 'approve' | 'reject' = 'approve',
) {
  let deaths = 0;
  const asked: string[] = [];
  for (let turn = 0; turn < 60; turn += 1) {
    const { ended } = await runOnce(world, agent, options(turn));
    if (ended === 'died') deaths += 1;
    else if ('out' in ended) return { out: ended.out, deaths, asked };
    else if ('wait' in ended && ended.wait.kind === 'approval') {
      asked.push(ended.wait.approval?.message ?? '');
      decide(world, decision);
    } else endPlays(world);
  }
  throw new Error('it does not end');
}

const failureOf = (args: object): Promise<LayerFailure> =>
  runToEnd(newWorld(), () => optionsWith(args)).then(
    () => Promise.reject(new Error('it has not failed')),
    (error: unknown) => error as LayerFailure,
  );
const seen = (): readonly ModelRequest[] => provider.requests;

describe('an agent', () => {
  it('lets the model call tools until it has an answer, and says what was done', async () => {
    const first = seen().length;
    provider.answerWith([{ calls: [order(7), task('call back')] }, { text: 'Order 7 is open.' }]);
    const { out } = await runToEnd(newWorld(), () => optionsWith());
    expect(out).toMatchObject({ text: 'Order 7 is open.', value: null, stop: 'end', cost: null });
    expect(out.usage).toEqual({ tokensIn: 20, tokensOut: 10, calls: 2 });
    expect(agent.outSchema.parse(out)).toEqual(out);
    expect(out.steps).toMatchObject([
      { kind: 'model', tokens: 15 },
      { kind: 'tool', tool: 'order', args: { path: { id: 7 } }, ok: true },
      { kind: 'child', tool: 'task', args: { title: 'call back' }, ok: true, playId: 'child-2' },
      { kind: 'model', tokens: 15 },
    ]);
    expect(shop).toEqual(['p.0.1 http://shop.example/orders/7']);
    const results = seen()[first + 1]?.results ?? [];
    expect(results.map(({ text }) => JSON.parse(text) as unknown)).toEqual([
      { statusCode: 200, body: { id: 1 } },
      { n: 1 },
    ]);
  });

  it('puts in what is fixed, which the model neither sees nor decides', async () => {
    const first = seen().length;
    provider.answerWith([{ calls: [{ name: 'task', arguments: { title: 'a', tenant: 'other' } }] }, { text: 'Done.' }]);
    const tools = [{ kind: 'flow', flowId: 'open-task', name: 'task', fixed: { tenant: 'own' } }];
    const { out } = await runToEnd(newWorld(), () => optionsWith({ tools }));
    expect(out.steps).toMatchObject([{}, { args: { title: 'a', tenant: 'own' } }, {}]);
    expect(JSON.stringify(seen()[first]?.tools)).not.toContain('tenant');
    expect(JSON.stringify(seen().slice(first))).not.toContain('own');
  });

  it('asks a person before a call, who sees its arguments; a rejection is a result, or a failure', async () => {
    const first = seen().length;
    const tools = [{ kind: 'flow', flowId: 'open-task', name: 'task', approve: '{{ $call.args.title = "pay" }}' }];
    provider.answerWith([{ calls: [task('pay'), task('note')] }, { text: 'Done.' }]);
    const world = newWorld();
    const { out, asked } = await runToEnd(world, () => optionsWith({ tools }), 'reject');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('"title": "pay"');
    expect([...world.plays.values()]).toHaveLength(1);
    expect(out.steps).toMatchObject([{}, { kind: 'approval', ok: false, by: 'user' }, { kind: 'child', ok: true }, {}]);
    expect(seen()[first + 1]?.results[0]?.text).toContain('rejected');
    const options = () => optionsWith({ tools, onReject: 'fail' });
    await expect(runToEnd(newWorld(), options, 'reject')).rejects.toMatchObject({ code: 'rejected' });
  });

  it('gives the model what is wrong with a call, as a result', async () => {
    const first = seen().length;
    provider.answerWith([
      { calls: [{ name: 'delete_all', arguments: {} }, { name: 'order', arguments: '{"path":' }, order(1)] },
      { text: 'Done.' },
    ]);
    const { out } = await runToEnd(newWorld(), () => optionsWith());
    expect(shop).toHaveLength(1);
    expect((out.steps as Output[]).filter(({ refused }) => refused !== undefined)).toHaveLength(2);
    expect(seen()[first + 1]?.results.map(({ text }) => text.slice(0, 22))).toEqual([
      'There is no tool "dele',
      'The arguments are not ',
      '{"statusCode":200,"bod',
    ]);
  });

  it('gives a value that fits a schema, and asks for it again', async () => {
    const outputSchema = { type: 'object', properties: { open: { type: 'integer' } }, required: ['open'] };
    const answer = (open: unknown) => ({ calls: [{ name: 'give_answer', arguments: { open } }] });
    provider.answerWith([{ text: 'One.' }, answer('one'), answer(1)]);
    const { out } = await runToEnd(newWorld(), () => optionsWith({ outputSchema }));
    expect(out).toMatchObject({ value: { open: 1 }, stop: 'end', usage: { calls: 0 } });
  });

  it('gives a large result by reference, of which the model reads parts', async () => {
    const first = seen().length;
    shopAnswers = { id: 1, parts: Array.from({ length: 2_000 }, (_, id) => ({ id })) };
    provider.answerWith([
      { calls: [order(1)] },
      { calls: [{ name: 'read_result', arguments: { ref: 'result-1', jsonpath: '$.body.parts[1999].id' } }] },
      { calls: [{ name: 'read_result', arguments: { ref: 'result-0', jsonpath: '$' } }] },
      { text: 'Done.' },
    ]);
    await runToEnd(newWorld(), () => optionsWith());
    const texts = seen()
      .slice(first)
      .flatMap(({ results }) => results.map(({ text }) => text));
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({
      $ref: 'result-1',
      preview: expect.stringContaining('"id":1') as string,
    });
    expect(texts[1]).toBe('[1999]');
    expect(texts[2]).toContain('there is no such result');
  });
});

describe('the limits of an agent', () => {
  const endless = () => provider.answerWith(() => ({ calls: [order(1)] }));
  const LIMITS = { steps: 20, tokens: 1_000, seconds: 600, toolCalls: 50 };

  it('fail the layer before they are exceeded, with what was done', async () => {
    endless();
    const failure = await failureOf({ limits: { ...LIMITS, steps: 3 } });
    expect(failure).toMatchObject({ code: 'limit_steps', out: { stop: 'limit_steps', usage: { calls: 3 } } });
    expect(await failureOf({ limits: { ...LIMITS, tokens: 40 } })).toMatchObject({
      code: 'limit_tokens',
      out: { usage: { tokensIn: 30, tokensOut: 15 } },
    });
    shop = [];
    expect(await failureOf({ limits: { ...LIMITS, toolCalls: 2 } })).toMatchObject({ code: 'limit_tool_calls' });
    expect(shop).toHaveLength(2);
  });

  it('leave one last answer without tools where that is wanted, which says so', async () => {
    provider.answerWith(({ mayCall }) => (mayCall ? { calls: [order(1)] } : { text: 'So far: one.' }));
    const args = { limits: { ...LIMITS, steps: 2 }, onLimit: 'answer' };
    const { out } = await runToEnd(newWorld(), () => optionsWith(args));
    expect(out).toMatchObject({ text: 'So far: one.', stop: 'limit_steps', usage: { calls: 2 } });
  });

  it('hold for one tool', async () => {
    const tools = [{ kind: 'operation', api: 'shop', operation: 'getOrder', name: 'order', max: 1 }];
    provider.answerWith([{ calls: [order(1), order(2)] }, { calls: [order(3)] }, { text: 'Done.' }]);
    const { out } = await runToEnd(newWorld(), () => optionsWith({ tools }));
    expect(out).toMatchObject({ usage: { calls: 1 } });
  });

  it('an answer that was cut off is no answer', async () => {
    provider.answerWith({ text: 'So far', stop: 'length' });
    expect(await failureOf({})).toMatchObject({ code: 'answer_cut', out: { text: 'So far' } });
  });
});

describe('an agent whose worker dies at any moment', () => {
  const SCRIPT = [
    { calls: [order(1), task('a'), order(2)] },
    { calls: [task('b')] },
    { calls: [order(3)] },
    { text: 'Done.' },
  ];

  it('repeats no finished step: at most one call of the model for each death, and each play once', async () => {
    provider.answerWith(SCRIPT);
    let died = 0;
    for (let use = 1; use <= 24; use += 1) {
      const [first, world] = [seen().length, newWorld()];
      shop = [];
      const { out, deaths } = await runToEnd(world, (turn) => optionsWith({}, turn % 2 === 0 ? { diesAt: use } : {}));
      expect(out).toMatchObject({ text: 'Done.', usage: { calls: 5 } });
      expect(seen().length - first, `dies at ${use}`).toBeLessThanOrEqual(SCRIPT.length + deaths);
      expect([...world.plays.values()].map(({ starts }) => starts)).toEqual([1, 1]);
      // repeated under the same key
      expect(new Set(shop).size).toBe(3);
      expect(shop.length).toBeLessThanOrEqual(3 + 2 * deaths);
      died += deaths;
    }
    expect(died).toBeGreaterThan(20);
  });
});

describe('attempts', () => {
  const retry = { attempts: 3, backoff: 'fixed', delayMs: 0, maxDelayMs: 0 } as const;

  it('are those of a step: what was done before stays', async () => {
    const first = seen().length;
    let fails = 2;
    provider.answerWith(({ turn }) => {
      if (turn === 0) return { calls: [order(1)] };
      fails -= 1;
      return fails >= 0 ? { refusal: { status: 529, message: 'Overloaded' } } : { text: 'Done.' };
    });
    const { out } = await runToEnd(newWorld(), () => optionsWith({}, { retry }));
    expect(out).toMatchObject({ text: 'Done.' });
    expect(seen().length - first).toBe(4);
    expect(shop).toHaveLength(1);
  });

  it('are not made without retry, and a retry of the play goes on after the finished steps', async () => {
    provider.answerWith(({ turn }) =>
      turn === 0 ? { calls: [order(1)] } : { refusal: { status: 529, message: 'No' } },
    );
    const world = newWorld();
    await expect(runToEnd(world, () => optionsWith())).rejects.toMatchObject({ code: 'bad_status', index: 2 });
    provider.answerWith({ text: 'Done.' });
    const first = seen().length;
    expect((await runToEnd(world, () => optionsWith())).out).toMatchObject({ text: 'Done.' });
    expect(seen().length - first).toBe(1);
    expect(shop).toHaveLength(1);
  });
});
