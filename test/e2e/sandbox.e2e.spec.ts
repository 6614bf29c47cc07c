import type { FlowView } from '@weft/contracts';
import type { ApiClient } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';
import { neighbourCompany } from './harness/neighbour-company.js';

const fleet = await sharedFleet();
const { admin } = fleet;

type Layer = { readonly ref: string; readonly appId: string; readonly args: object } & Readonly<
  Record<string, unknown>
>;

async function flowOf(client: ApiClient, layers: readonly Layer[], fields: object = {}): Promise<FlowView> {
  const flow = await client.createFlow({ ...fields });
  for (const layer of layers) await client.addLayer(flow.id, { ...layer, args: { ...layer.args } });
  return flow;
}

const tell = (template: string): Layer => ({ ref: 'tell', appId: 'text-template', args: { template } });
const code = (source: string, timeoutMs = 200): Layer => ({ ref: 'code', appId: 'code', args: { source, timeoutMs } });
const transform = (expression: string): Layer => ({ ref: 'transform', appId: 'transform', args: { expression } });
const extract = (kind: string, pattern: string, source: string): Layer => ({
  ...{ ref: 'extract', appId: 'text-extraction', args: { kind, pattern, source, all: true } },
});

const LOOP = '($f := function($x) { $f($x) }; $f(1))';
/** Each would stall or end the process that ran it. */
const HOSTILE: readonly (readonly [string, Layer, string])[] = [
  ['an endless expression', tell(`{{ ${LOOP} }}`), 'longer than 2000 ms'],
  ['endless code', code('for (;;) {}'), 'longer than 200 ms'],
  ['a backtracking pattern in code', code('return /(x+x+)+y/.test("x".repeat(60))'), 'longer than 200 ms'],
  ['an expression that takes all memory', tell('{{ $base64encode($pad("x", 300000000)) }}'), 'more memory than 160 MB'],
  ['code that takes all memory', code('return new Uint8Array(1e9)', 20_000), 'more memory than 64 MB'],
  ['more matches than may be', extract('regex', '.', 'x'.repeat(10_001)), 'more than 10000 matches'],
];

describe('a flow that means harm', () => {
  it('fails at its limit, while the plays of everybody else go on', async () => {
    const neighbour = await neighbourCompany(fleet);
    const [mine, theirs] = await Promise.all(
      [admin, neighbour].map((client) =>
        flowOf(client, [transform('$sum($prev.args.list) * 2'), tell('It is {{ .transform.value + 1 }}.')]),
      ),
    );
    const hostile = await Promise.all(
      HOSTILE.map(async ([, layer]) => (await admin.run((await flowOf(admin, [layer])).id)).playId),
    );
    const runs = Array.from({ length: 50 }, (_, n) => ({ args: { list: [n, 1] } }));
    const others = [
      ...(await batch(admin, mine as FlowView, runs)).map((playId) => [admin, playId] as const),
      ...(await batch(neighbour, theirs as FlowView, runs)).map((playId) => [neighbour, playId] as const),
    ];

    const outs = await Promise.all(
      others.map(async ([client, playId]) => {
        const { state } = await client.waitForPlay(playId, { withinMs: 60_000 });
        return [state, (await client.layers(playId)).at(-1)?.out];
      }),
    );
    const expected = [...runs, ...runs].map((_, i) => ['DONE', { text: `It is ${((i % 50) + 1) * 2 + 1}.` }]);
    expect(outs).toEqual(expected);

    const ends = await Promise.all(
      hostile.map(async (playId, i) => {
        const { state, error } = await admin.waitForPlay(playId, { withinMs: 60_000 });
        const [what, , limit] = HOSTILE[i] ?? [];
        return [what, state, error?.code, error?.message.includes(limit ?? '?')];
      }),
    );
    expect(ends).toEqual(HOSTILE.map(([what]) => [what, 'FAIL', 'sandbox_limit', true]));
    expect(fleet.one('worker').isRunning()).toBe(true);
  });

  it('is looked through in linear time where it brings patterns', async () => {
    const source = 'x'.repeat(10_000);
    const flow = await flowOf(admin, [
      { ...extract('regex', '(x+x+)+y', source), ref: 'regex' },
      { ...extract('jsonpath', '$[?search(@, "(x+x+)+y")]', JSON.stringify([source])), ref: 'path' },
      { ...transform(`$match("${source}", /(x+x+)+y/)`), ref: 'jsonata' },
    ]);
    const { playId } = await admin.run(flow.id);
    expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'DONE' });
    const nothing = { text: null, matches: [] };
    expect((await admin.layers(playId)).map(({ out }) => out)).toEqual([nothing, nothing, { value: null }]);
  });
});

describe('the API', () => {
  it('asks conditions of flows in the sandbox, and rehearses there', async () => {
    const flow = await flowOf(admin, [transform('$prev.args.n * 2')], { when: '{{ $prev.args.n > 10 }}' });
    const [small, large] = await Promise.all([1, 11].map((n) => admin.run(flow.id, { args: { n } })));
    expect((await admin.play(small?.playId ?? '')).state).toBe('SKIP');
    expect((await admin.waitForPlay(large?.playId ?? '')).state).toBe('DONE');
    const rehearsed = await admin.send('POST', `/api/v1/flows/${flow.id}/dry-run`, { args: { n: 12 } });
    expect(rehearsed).toMatchObject({ status: 200, body: { state: 'DONE', layers: [{ out: { value: 24 } }] } });
    const refused = await admin.send('POST', `/api/v1/flows/${flow.id}/run`, { args: { n: 'many' } });
    expect(refused).toMatchObject({ status: 422, body: { code: 'condition_failed' } });
  });

  it('refuses what cannot be read when it is saved, with its place', async () => {
    const flow = await admin.createFlow();
    const { ref, appId } = tell('');
    const answer = await admin.send('POST', `/api/v1/flows/${flow.id}/layers`, {
      ref,
      appId,
      args: { template: 'a {{ 1 + }}' },
    });
    const errors = [
      {
        path: 'args.template',
        code: 'invalid_expression',
        message: expect.stringContaining('(character 9)') as string,
      },
    ];
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_expression', errors } });
  });
});

async function batch(client: ApiClient, flow: FlowView, runs: readonly object[]): Promise<string[]> {
  const answer = await client.send<{ items: { playId: string }[] }>('POST', `/api/v1/flows/${flow.id}/run-batch`, {
    runs,
  });
  return answer.body.items.map(({ playId }) => playId);
}
