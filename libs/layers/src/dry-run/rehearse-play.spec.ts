import { chainOf, type FlowVersion, type LayerDefinition, type LayerResult, type Play } from '@weft/engine';
import { aLayer, aPlay, aVersion, sandbox } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { rehearsePlay, type PlayRehearsal, type PlayRehearsalRequest } from './rehearse-play.js';

type Layer = Partial<LayerDefinition> & Pick<LayerDefinition, 'ref' | 'appId' | 'args'>;

function versionOf(layers: readonly Layer[]): FlowVersion {
  const definitions = layers.map((layer, index) => aLayer(layer.ref, { index, ...layer }));
  return aVersion(definitions, { flowId: 'flow', companyId: 'company', version: 3, name: 'Orders' });
}

function played(
  version: FlowVersion,
  outs: Readonly<Record<string, Partial<LayerResult>>>,
  fields: Partial<Play>,
): Play {
  const at = new Date('2026-01-01T00:00:00Z');
  const layers = version.layers.flatMap(({ ref }, position) => {
    const common = { position, ref, name: ref, state: 'DONE', startedAt: at, completedAt: at } as const;
    const result = { ...common, out: null, outBytes: 0, attempts: 1, by: 'spec', ...outs[ref] };
    return outs[ref] ? [result] : [];
  });
  const play = aPlay({ playId: 'old', companyId: 'company', flowId: 'flow', args: {}, serverNow: at });
  return { ...play, state: 'DONE', layers, ...fields };
}

function rehearse(
  before: readonly Layer[],
  after: readonly Layer[],
  outs: Readonly<Record<string, Partial<LayerResult>>>,
  fields: Partial<Play> = {},
  more: Partial<PlayRehearsalRequest> = {},
): Promise<PlayRehearsal> {
  const version = versionOf(before);
  return rehearsePlay({
    version: versionOf(after),
    recorded: { play: played(version, outs, fields), version },
    companyName: 'Acme',
    playUrl: (of) => `https://weft.test/approve#${'playId' in of ? of.playId : of.firstPlayId}.${of.ref}`,
    faces: { version: new Map(), recorded: new Map() },
    open: () => Promise.resolve(null),
    maxBytes: 1_000_000,
    sandbox,
    signal: new AbortController().signal,
    ...more,
  });
}

const outOf = ({ layers }: PlayRehearsal, ref: string): unknown => layers.find((layer) => layer.ref === ref)?.out;
const argsOf = (calls: PlayRehearsal['calls'], ref: string): unknown => calls.get(ref)?.map(({ args }) => args);

const each: Layer = {
  ref: 'each',
  appId: 'web-request',
  args: { url: 'http://a/{{ $item }}' },
  forEach: { in: '{{ $prev.args.list }}', concurrency: 4 },
};

describe('a rehearsed play', () => {
  it('has the id, the clock, the chance and the links of the old one', async () => {
    const ask: Layer = { ref: 'ask', appId: 'approval', args: { message: 'ok?' } };
    const template = '{{ $play.id }} {{ $now() }} {{ $random() }} {{ $play.approvals.ask.url }}';
    const tell: Layer = { ref: 'tell', appId: 'text-template', args: { template } };
    const outs = { ask: { out: { decision: 'approve' } } };
    const chain = { first: 'first', nth: 1, at: new Date('2025-12-24T00:00:00Z') };
    const one = await rehearse([ask, tell], [ask, tell], outs, { chain });
    const two = await rehearse([ask, tell], [ask, tell], outs, { chain });
    expect((outOf(one, 'tell') as { text: string }).text).toMatch(
      /^old 2025-12-24T00:00:00.000Z 0\.\d+ https:\/\/weft\.test\/approve#old\.ask$/,
    );
    expect(outOf(one, 'tell')).toEqual(outOf(two, 'tell'));
    expect(chainOf({ _id: 'old', createdAt: new Date(0), chain })).toEqual(chain);
  });

  it('notes what a layer reads of its link as it is written', async () => {
    const call = (key: string): Layer => ({
      ref: 'call',
      appId: 'web-request',
      args: { url: 'http://a/', auth: { integrationId: 'l' }, headers: { 'X-Key': key } },
    });
    const outs = { call: { out: { statusCode: 200 } } };
    const run = await rehearse([call('{{ $link.access_token }}')], [call('7:{{$link.access_token}}')], outs);
    expect(argsOf(run.calls, 'call')).toMatchObject([{ headers: { 'X-Key': '7:{{ $link.access_token }}' } }]);
    expect(argsOf(run.recordedCalls, 'call')).toMatchObject([{ headers: { 'X-Key': '{{ $link.access_token }}' } }]);
  });

  it('notes the calls of a loop in the order of its items, also of a retry that had made only some', async () => {
    const outs = { each: { out: [{ statusCode: 200 }, { statusCode: 201 }] } };
    const doneItems = { 0: { count: 1, text: '[\n[0,"x",{}]\n]' } };
    const fields = { args: { list: [1, 2] }, doneItems };
    const tell: Layer = { ref: 'tell', appId: 'text-template', args: { template: '{{ .each[1].statusCode }}' } };
    const changed = { ...each, args: { url: 'http://b/{{ $item }}' } };
    const run = await rehearse([each, tell], [changed, tell], outs, fields);
    expect(argsOf(run.calls, 'each')).toMatchObject([{ url: 'http://b/1' }, { url: 'http://b/2' }]);
    expect(argsOf(run.recordedCalls, 'each')).toMatchObject([{ url: 'http://a/1' }, { url: 'http://a/2' }]);
    expect(outOf(run, 'tell')).toEqual({ text: '201' });
  });

  it('takes no answer of another module, nor a failure from before the call', async () => {
    const call: Layer = { ref: 'call', appId: 'web-request', args: { url: 'http://a/' } };
    const other: Layer = { ref: 'call', appId: 'run-flow', args: { flowId: 'f' } };
    expect((await rehearse([other], [call], { call: { out: {} } })).missingFixtures).toEqual(['call']);
    const error = { code: 'invalid_args', message: 'url: is missing' };
    expect((await rehearse([call], [call], { call: { state: 'FAIL', error } })).missingFixtures).toEqual(['call']);
    const refused = await rehearse([call], [call], {
      call: { state: 'FAIL', error: { ...error, code: 'bad_status' } },
    });
    expect(refused).toMatchObject({ state: 'FAIL', error: { code: 'bad_status', ref: 'call' }, missingFixtures: [] });
  });

  it('is uncertain of what depends on a missing answer, directly or by a decision', async () => {
    const call: Layer = { ref: 'call', appId: 'web-request', args: { url: 'http://a/' } };
    const say = (ref: string, template: string): Layer => ({ ref, appId: 'text-template', args: { template } });
    const reads = say('reads', '{{ .call.body ?? "none" }}');
    const again = say('again', '{{ .reads.text }}');
    const free = await rehearse([], [call, reads, again, say('free', 'x')], {});
    expect([...free.uncertain]).toEqual(['call', 'reads', 'again']);
    const filter: Layer = { ref: 'only', appId: 'filter', args: { condition: '{{ .call.body ?? true }}' } };
    expect([...(await rehearse([], [call, filter, say('free', 'x')], {})).uncertain]).toEqual(['call', 'only', 'free']);
  });

  it('has no more outputs than it may', async () => {
    const big: Layer = { ref: 'big', appId: 'code', args: { source: 'return "x".repeat(90000)' } };
    const run = await rehearse([], [big, { ...big, ref: 'more' }], {}, {}, { maxBytes: 100_000 });
    expect(run).toMatchObject({ state: 'FAIL', error: { code: 'output_too_large', ref: 'more' } });
  });
});
