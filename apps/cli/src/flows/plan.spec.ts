import type { Flow, FlowDocument, Layer } from '@weft/client';
import { describe, expect, it } from 'vitest';
import { LEFT_OUT } from './differences.js';
import { readDocument, type CaseDocument } from './document.js';
import { planChanges, type StoredFlow } from './plan.js';
import { linesOf } from './show-plan.js';

const layer = (ref: string, more: Partial<Layer> = {}): Layer =>
  ({
    id: `id-${ref}`,
    ref,
    name: ref,
    appId: 'web-request',
    args: { url: 'https://example.com', headers: { authorization: 'hush' } },
    when: null,
    retry: null,
    timeoutMs: 30_000,
    onError: 'fail',
    onInterrupted: 'repeat',
    forEach: null,
    stage: null,
    ...more,
  }) as Layer;

const flow = (layers: Layer[]): Flow =>
  ({
    name: 'Orders',
    category: '',
    description: '',
    isBlueprint: false,
    when: null,
    settings: { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null },
    layers,
  }) as unknown as Flow;

const document = (fields: object) =>
  readDocument('x.json', JSON.stringify({ schema: 'weft.flow/1', name: 'Orders', ...fields }));
const fetching = (more: object = {}) => ({
  ref: 'fetch',
  appId: 'web-request',
  args: { url: 'https://example.com', headers: { authorization: LEFT_OUT } },
  timeoutMs: 30_000,
  ...more,
});
const planOf = (stored: Flow, cases: readonly CaseDocument[], wanted: FlowDocument, vars: StoredFlow['vars'] = null) =>
  planChanges({ flow: stored, cases, vars }, wanted);
const textsOf = (...plan: Parameters<typeof planOf>) =>
  planOf(...plan)
    .flatMap(linesOf)
    .map(({ text }) => text);

describe('the plan of a document', () => {
  it('is empty where the flow is as the document says, whatever was left out', () => {
    expect(planOf(flow([layer('fetch')]), [], document({ layers: [fetching()] }))).toEqual([]);
  });

  it('names each difference, and keeps what was left out', () => {
    const wanted = document({
      description: 'new',
      layers: [fetching({ timeoutMs: 10_000, args: { url: 'https://b', headers: { authorization: LEFT_OUT } } })],
    });
    expect(textsOf(flow([layer('fetch')]), [], wanted)).toEqual([
      '~ flow: description "" → "new"',
      '~ layer fetch: args.url "https://example.com" → "https://b"',
      '~ layer fetch: timeoutMs 30000 → 10000',
    ]);
  });

  it('shows entries of lists that are moved or new, and none that are only left out', () => {
    const body = (...entries: (readonly [string, string])[]) => entries.map(([name, value]) => ({ name, value }));
    const stored = flow([layer('fetch', { args: { body: body(['password', 'S'], ['api_token', 'T']) } })]);
    const wanted = (...entries: (readonly [string, string])[]) =>
      document({ layers: [fetching({ args: { body: body(...entries) } })] });
    expect(textsOf(stored, [], wanted(['password', LEFT_OUT], ['api_token', LEFT_OUT]))).toEqual([]);
    for (const names of [['api_token', 'password'], ['password'], ['password', 'pin']]) {
      const left = names.map((name) => [name, LEFT_OUT] as const);
      expect(planOf(stored, [], wanted(...left))).toMatchObject([
        { because: [{ path: 'args.body', after: body(...left) }] },
      ]);
    }
  });

  it('names fields that are only on one side, whatever they are', () => {
    const argsSchema = { type: 'object' };
    const stored = { ...flow([]), argsSchema };
    expect(textsOf(stored, [], document({ argsSchema }))).toEqual([]);
    expect(textsOf(stored, [], document({}))).toEqual(['~ flow: argsSchema {"type":"object"} → null']);
    expect(textsOf(flow([]), [], document({ argsSchema, novelty: 7 }))).toEqual([
      '~ flow: argsSchema null → {"type":"object"}',
      '~ flow: novelty null → 7',
    ]);
  });

  it('adds, removes and orders layers', () => {
    const stored = flow([layer('a'), layer('b')]);
    const wanted = document({
      layers: [
        { ref: 'c', appId: 'kv' },
        { ...fetching(), ref: 'b' },
      ],
    });
    expect(textsOf(stored, [], wanted)).toEqual(['- layer a', '+ layer c (kv)', '~ order of layers: c, b']);
    const atTheEnd = document({
      layers: [
        { ...fetching(), ref: 'a' },
        { ...fetching(), ref: 'b' },
        { ref: 'c', appId: 'kv' },
      ],
    });
    expect(textsOf(stored, [], atTheEnd)).toEqual(['+ layer c (kv)']);
  });

  it('takes layers by the id that a document gives, else by their refs', () => {
    const renamed = document({ layers: [{ ...fetching(), id: 'id-fetch', ref: 'load', name: 'fetch' }] });
    expect(textsOf(flow([layer('fetch')]), [], renamed)).toEqual(['~ layer fetch: ref "fetch" → "load"']);
    const same = document({ layers: [{ ...fetching(), id: 'id-fetch' }] });
    expect(textsOf(flow([layer('fetch')]), [], same)).toEqual([]);
  });

  it('takes test cases by their names', () => {
    const stored: CaseDocument = { name: 'one', required: false, args: {}, fixtures: {}, expected: {} };
    const wanted = document({ testCases: [{ name: 'one', required: true }, { name: 'two' }] });
    expect(textsOf(flow([]), [stored, { ...stored, name: 'three' }], wanted)).toEqual([
      '- test case "three"',
      '~ test case "one": required false → true',
      '+ test case "two"',
    ]);
  });

  it('names an order of test cases that is another one, and each of two with one name', () => {
    const stored = (name: string, n = 0): CaseDocument => ({
      name,
      required: false,
      args: { n },
      fixtures: {},
      expected: {},
    });
    const wanted = (...testCases: CaseDocument[]) => document({ testCases });
    const [one, two] = [stored('one'), stored('two')];
    expect(textsOf(flow([]), [one, two], wanted(two, one))).toEqual(['~ order of test cases: two, one']);
    expect(textsOf(flow([]), [one], wanted(two, one))).toEqual([
      '+ test case "two"',
      '~ order of test cases: two, one',
    ]);
    expect(textsOf(flow([]), [one, two], wanted(one, two, stored('three')))).toEqual(['+ test case "three"']);
    expect(textsOf(flow([]), [one, stored('one', 1)], wanted(one, stored('one', 1)))).toEqual([]);
    expect(textsOf(flow([]), [one, stored('one', 1)], wanted(one))).toEqual(['- test case "one"']);
  });

  it('compares the variables of a blueprint; secrets, which an export leaves out, are not shown', () => {
    const stored = { greeting: 'Hello', token: LEFT_OUT };
    const textsFor = (blueprintVars: object | null, vars: StoredFlow['vars'] = stored) =>
      textsOf(flow([]), [], document({ blueprintVars }), vars);
    expect(textsFor(stored)).toEqual([]);
    expect(textsFor(null)).toEqual([]);
    expect(textsFor({ greeting: 'Hallo', token: LEFT_OUT })).toEqual([
      '~ flow: blueprintVars.greeting "Hello" → "Hallo"',
    ]);
    expect(textsFor({ greeting: 'Hello' })).toEqual(['- flow: blueprintVars.token "[left out]"']);
    expect(textsFor({ ...stored, token: 'hush' })).toEqual([
      '~ flow: blueprintVars.token "[left out]" → "the value in the document"',
    ]);
    expect(textsFor({ greeting: 'Hallo' }, null)).toEqual(['+ flow: blueprintVars.greeting "Hallo"']);
  });

  it('refuses what is not a document', () => {
    expect(() => readDocument('x.json', '{')).toThrow('not JSON');
    expect(() => readDocument('x.json', '{"name":"x"}')).toThrow('weft.flow/1');
  });
});
