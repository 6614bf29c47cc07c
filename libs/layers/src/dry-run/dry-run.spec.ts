import type { FlowVersion, LayerDefinition } from '@weft/engine';
import { aLayer, aVersion, sandbox } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { dryRun, type DryRun, type DryRunRequest } from './dry-run.js';

type Layer = Partial<LayerDefinition> & Pick<LayerDefinition, 'ref' | 'appId' | 'args'>;

function versionOf(layers: readonly Layer[], fields: Partial<FlowVersion> = {}): FlowVersion {
  const definitions = layers.map((layer, index) => aLayer(layer.ref, { index, ...layer }));
  return aVersion(definitions, { flowId: 'flow', companyId: 'company', version: 3, name: 'Orders', ...fields });
}

function rehearse(layers: readonly Layer[], request: Partial<DryRunRequest> = {}): Promise<DryRun> {
  const now = new Date('2026-01-01T00:00:00Z');
  return dryRun({ version: versionOf(layers), companyName: 'Acme', args: {}, fixtures: {}, now, sandbox, ...request });
}

const states = ({ layers }: DryRun): string => layers.map(({ ref, state }) => `${ref} ${state}`).join(', ');

const fetch: Layer = { ref: 'fetch', appId: 'web-request', args: { url: 'https://example.com/{{ $prev.args.id }}' } };
const tell: Layer = { ref: 'tell', appId: 'text-template', args: { template: 'It is {{ .fetch.json.name }}.' } };

describe('a dry run', () => {
  it('puts fixtures in the place of what reaches out, and runs the rest for real', async () => {
    const fixtures = { fetch: { statusCode: 200, json: { name: 'Ada' } } };
    expect(await rehearse([fetch, tell], { args: { id: 7 }, fixtures })).toEqual({
      state: 'DONE',
      error: null,
      layers: [
        { ref: 'fetch', state: 'DONE', out: fixtures.fetch, error: null },
        { ref: 'tell', state: 'DONE', out: { text: 'It is Ada.' }, error: null },
      ],
      missingFixtures: [],
    });
  });

  it('takes the fixture of pages and of rounds for the output as a whole, and pauses between no rounds', async () => {
    const paginate = { next: '{{ $page.json.next }}' };
    const pages: Layer = { ref: 'pages', appId: 'web-request', args: { url: 'https://example.com/', paginate } };
    const repeat = { until: '{{ $repeat.out.json.done }}', max: 3, delayMs: 60_000 };
    const poll: Layer = { ref: 'poll', appId: 'web-request', args: { url: 'https://a/{{ $repeat.index }}' }, repeat };
    const count: Layer = {
      ...{ ref: 'count', appId: 'transform', args: { expression: '$repeat.index + 1' } },
      repeat: { ...repeat, until: '{{ $repeat.out.value = 3 }}' },
    };
    const fixtures = { pages: { pages: [{ json: { a: 1 } }], count: 1 }, poll: { json: { done: true } } };
    const { state, layers } = await rehearse([pages, poll, count], { fixtures });
    expect(state).toBe('DONE');
    expect(layers.map(({ out }) => out)).toEqual([fixtures.pages, fixtures.poll, { value: 3 }]);
  });

  it('goes on without what has no fixture, and says so', async () => {
    const wait: Layer = { ref: 'wait', appId: 'approval', args: { message: 'Really?' } };
    const call: Layer = { ref: 'call', appId: 'web-request', args: { url: '{{ .fetch.json.next }}' } };
    const run = await rehearse([fetch, wait, call, tell], { args: { id: 7 } });
    expect(run).toMatchObject({ state: 'DONE', missingFixtures: ['fetch', 'wait', 'call'] });
    expect(states(run)).toBe('fetch SKIP, wait SKIP, call SKIP, tell DONE');
    expect(run.layers[3]?.out).toEqual({ text: 'It is .' });
  });

  it('takes a fixture for a pure layer, too, and for the whole of a loop', async () => {
    const loop: Layer = {
      ...fetch,
      forEach: { in: '{{ $prev.args.ids }}', concurrency: 1 },
      args: { url: 'http://a/{{ $item }}' },
    };
    const count: Layer = {
      ref: 'count',
      appId: 'text-template',
      args: { template: '{{ .fetch[1].statusCode }} {{ .tell.text }}' },
    };
    const fixtures = { fetch: [{ statusCode: 200 }, { statusCode: 404 }], tell: { text: 'given' } };
    const run = await rehearse([loop, { ...tell, args: { template: 'real' } }, count], { fixtures });
    expect(run.layers[2]).toMatchObject({ state: 'DONE', out: { text: '404 given' } });
  });

  it('takes the way for errors of a layer that may fail', async () => {
    const parse: Layer = {
      ...{ ref: 'parse', appId: 'transform', onError: 'continue' },
      args: { expression: '$number($prev.args.n)' },
    };
    const alert: Layer = {
      ...{ ref: 'alert', appId: 'text-template', when: '{{ $errors.parse != null }}' },
      args: { template: '{{ $errors.parse.code }} after {{ $errors.parse.attempts }}' },
    };
    const failed = await rehearse([parse, alert], { args: { n: 'x' } });
    expect(states(failed)).toBe('parse FAIL, alert DONE');
    expect(failed.layers[1]?.out).toEqual({ text: 'expression_failed after 1' });
    expect(states(await rehearse([parse, alert], { args: { n: '1' } }))).toBe('parse DONE, alert FILTERED');
    const plain = { ...alert, when: '{{ $errors.parse }}' };
    expect(states(await rehearse([parse, plain], { args: { n: '1' } }))).toBe('parse DONE, alert FILTERED');
    expect(states(await rehearse([parse, plain], { args: { n: 'x' } }))).toBe('parse FAIL, alert DONE');
  });

  it('lets a layer fail as its fixture says, pure ones and loops too', async () => {
    const alert: Layer = {
      ...{ ref: 'alert', appId: 'text-template' },
      args: { template: '{{ $errors.fetch.code }} {{ $errors.fetch.statusCode }}: {{ $errors.fetch.message }}' },
    };
    const failing: Layer = { ...fetch, onError: 'continue' };
    const $fail = { code: 'bad_status', message: 'it said 503', statusCode: 503 };
    const run = await rehearse([failing, alert], { args: { id: 1 }, fixtures: { fetch: { $fail } } });
    expect(states(run)).toBe('fetch FAIL, alert DONE');
    expect(run.layers[1]?.out).toEqual({ text: 'bad_status 503: it said 503' });
    const loop: Layer = { ...fetch, forEach: { in: '{{ $prev.args.ids }}', concurrency: 1 } };
    const fixtures = { fetch: { $fail: { code: 'timeout' } }, tell: { $fail: {} } };
    expect((await rehearse([loop], { fixtures })).error).toMatchObject({ code: 'timeout', ref: 'fetch' });
    expect((await rehearse([{ ...tell, args: { template: 'x' } }], { fixtures })).error).toMatchObject({
      code: 'invalid_args',
      ref: 'tell',
    });
  });

  it('finds what would fail: expressions, arguments, unknown modules', async () => {
    const unresolved = await rehearse([fetch, tell], { fixtures: { fetch: {} } });
    expect(unresolved).toMatchObject({ state: 'FAIL', error: { code: 'expression_unresolved', ref: 'fetch' } });
    expect(states(unresolved)).toBe('fetch FAIL, tell NEW');
    const wrong: Layer = { ...fetch, args: { url: 'http://a/', timeoutMs: '{{ $prev.args.soon }}' } };
    const invalid = await rehearse([wrong], { args: { soon: 'soon' }, fixtures: { fetch: {} } });
    expect(invalid.error).toMatchObject({ code: 'invalid_args', ref: 'fetch' });
    expect((await rehearse([{ ref: 'x', appId: 'gone', args: {} }])).error).toMatchObject({ code: 'unknown_app' });
  });

  it('does not wait for further attempts', async () => {
    const retry = { attempts: 20, backoff: 'fixed', delayMs: 86_400_000, maxDelayMs: 86_400_000 } as const;
    const unwritable = () => {
      throw new TypeError('not JSON');
    };
    const fixtures = { tell: { toJSON: unwritable } };
    const run = await rehearse([{ ...tell, retry, args: { template: 'x' }, onError: 'continue' }], { fixtures });
    expect(run).toMatchObject({ state: 'DONE', layers: [{ state: 'FAIL', error: { code: 'invalid_output' } }] });
  });

  it('reads run args, blueprint variables, and the names of flow and company', async () => {
    const template = '{{ $prev.args.a }} {{ $blueprint.b }} {{ $flow.name }} {{ $company.name }}';
    const version = versionOf([{ ...tell, args: { template } }], { blueprintVars: { b: '{{ $prev.args.a }}' } });
    const run = await rehearse([], { version, args: { a: 1 } });
    expect(run.layers[0]?.out).toEqual({ text: '1 {{ $prev.args.a }} Orders Acme' });
  });

  it('keeps outputs that a stored play would have put away', async () => {
    const fixtures = { fetch: { json: { name: 'x'.repeat(100_000) } } };
    const run = await rehearse([fetch, tell], { args: { id: 1 }, fixtures });
    expect(run.layers[1]?.out).toEqual({ text: `It is ${fixtures.fetch.json.name}.` });
  });

  it('skips what a branch rules out, and reads it as null', async () => {
    const cases = [{ when: '{{ $prev.args.a }}', refs: ['left'] }];
    const branch: Layer = { ref: 'way', appId: 'branch', args: { cases, else: ['right'] } };
    const say = (ref: string, template: string): Layer => ({ ref, appId: 'text-template', args: { template } });
    const layers = [branch, say('left', 'L'), say('right', 'R'), say('end', '{{ .left.text }}{{ .right.text }}')];
    const run = await rehearse(layers, { args: { a: false } });
    expect(states(run)).toBe('way DONE, left SKIP, right DONE, end DONE');
    expect(run.layers[3]?.out).toEqual({ text: 'R' });
    const other = await rehearse(layers, { fixtures: { way: { taken: ['left'] } }, args: { a: false } });
    expect(states(other)).toBe('way DONE, left DONE, right SKIP, end DONE');
  });

  it('filters out the rest when a filter does not pass, and is FILTERED when nothing is left', async () => {
    const filter: Layer = { ref: 'only', appId: 'filter', args: { condition: '{{ $prev.args.a }}' } };
    const never: Layer = { ...tell, when: '{{ $prev.args.a }}', args: { template: 'x' } };
    const first: Layer = { ref: 'first', appId: 'text-template', args: { template: 'x' } };
    expect(states(await rehearse([first, filter, tell], { args: { a: 0 } }))).toBe(
      'first DONE, only FILTERED, tell FILTERED',
    );
    expect((await rehearse([filter, fetch], { args: { a: 0 } })).state).toBe('FILTERED');
    expect(await rehearse([never, never], { args: { a: '' } })).toMatchObject({
      state: 'FILTERED',
      missingFixtures: [],
    });
    expect(states(await rehearse([never], { args: { a: 1 } }))).toBe('tell DONE');
  });

  it('runs the layers of a stage, which cannot read each other', async () => {
    const stage = 'both';
    const fixtures = { fetch: { json: { name: 'Ada' } } };
    const run = await rehearse(
      [
        { ...fetch, stage },
        { ...tell, stage, onError: 'continue' },
      ],
      { args: { id: 1 }, fixtures },
    );
    expect(states(run)).toBe('fetch DONE, tell FAIL');
  });

  it('ends when its time is over, whatever its layers say of failures', async () => {
    const layers = [
      { ...tell, args: { template: 'x' }, onError: 'continue' as const },
      { ...tell, ref: 'last', onError: 'continue' as const },
    ];
    const run = await rehearse(layers, { signal: AbortSignal.abort() });
    expect(run).toMatchObject({ state: 'FAIL', error: { code: 'play_timeout' } });
    expect(states(run)).toBe('tell FAIL, last FAIL');
    expect(run.layers[0]).toMatchObject({ out: null, error: { code: 'play_timeout' } });
  });

  it('lets the process have its turn, and is ended in the middle of a long list', async () => {
    const list = Array.from({ length: 10_000 }, (_, i) => i);
    const template = '{{ $item }} '.repeat(200);
    const layer: Layer = {
      ref: 'each',
      appId: 'text-template',
      args: { template },
      forEach: { in: '{{ $prev.args.list }}', concurrency: 1 },
    };
    const ended = new AbortController();
    const stop = setTimeout(() => ended.abort(), 0);
    const run = await rehearse([layer, tell], { args: { list }, signal: ended.signal });
    clearTimeout(stop);
    expect(run).toMatchObject({ state: 'FAIL', error: { code: 'play_timeout', ref: 'each' } });
    expect(states(run)).toBe('each FAIL, tell NEW');
  });
});
