import { readFile } from 'node:fs/promises';
import { createIdSource } from '@weft/kernel';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { exportFlow } from './export-flow.js';
import { flowDocumentJsonSchema, type FlowDocumentFile } from '@weft/shapes';
import { casesOf, flowOf } from './import-flow.js';
import { readDocument } from './read-document.js';

const newId = createIdSource(() => 1_700_000_000_000, 7);
const importer = { caller: { userId: 'u1', companyId: 'c1' }, now: new Date(0), newId };

/** Without keys. */
const asWritten = (flow: FlowDocumentFile) => Promise.resolve({ flow, faults: [] });

/** What export gives of the flow that import makes of it. */
async function roundTrip(document: unknown): Promise<FlowDocumentFile> {
  const read = await readDocument(document, asWritten);
  const flow = flowOf(read, importer);
  return exportFlow(flow, casesOf(read, flow, newId));
}

/** JSON that a layer may have; numbers as JSON keeps them, and no text that only begins like an expression. */
const value = fc.jsonValue({ maxDepth: 4 }).map(
  (each) =>
    JSON.parse(
      JSON.stringify(each)
        .replaceAll('__proto__', 'proto')
        .replace(/\{{2,}/g, '{'),
    ) as unknown,
);
const free = fc.dictionary(fc.stringMatching(/^[a-zB-Z$.]{1,8}$/), value);
const text = fc.string({ maxLength: 20 });
/** A name is one line with a character that can be seen. */
const name = fc.string({ minLength: 1, maxLength: 20 }).filter((each) => each.trim() !== '');
const ref = fc.stringMatching(/^[b-zA-Z][a-z0-9_-]{0,8}$/);

const layer = fc.record({
  ref,
  name,
  appId: fc.constant('web-request'),
  args: free.map((body) => ({ url: 'https://example.com/{{ $prev.args.id }}', body })),
  when: fc.constantFrom(null, '{{ $prev.args.on }}', 'true'),
  retry: fc.constantFrom(null, { attempts: 3, backoff: 'fixed' as const, delayMs: 5, maxDelayMs: 10 }),
  timeoutMs: fc.option(fc.integer({ min: 1, max: 1000 })),
  onError: fc.constantFrom('fail' as const, 'continue' as const),
  onInterrupted: fc.constantFrom('repeat' as const, 'fail' as const),
  forEach: fc.constantFrom(null, { in: '{{ $prev.args.list }}', concurrency: 2 }),
  stage: fc.boolean(),
});

/** A stage that two layers share must not be split by a third: here each has its own, or none. */
function eachInItsStage<T extends { readonly ref: string; readonly stage: boolean }>(layers: readonly T[]) {
  return layers.map((each) => ({ ...each, stage: each.stage ? each.ref : null }));
}

const document = fc.record({
  schema: fc.constant('weft.flow/1' as const),
  name,
  category: text,
  description: text,
  isBlueprint: fc.boolean(),
  when: fc.constantFrom(null, '{{ $prev.args.on }}'),
  settings: fc.record({
    concurrency: fc.option(fc.integer({ min: 1, max: 1000 })),
    timeoutMs: fc.option(fc.integer({ min: 1, max: 1000 })),
    onMissing: fc.constantFrom('fail' as const, 'null' as const, 'empty' as const),
    maxOutputBytes: fc.option(fc.integer({ min: 1, max: 1000 })),
  }),
  blueprintVars: fc.option(
    fc
      .dictionary(ref, text)
      .map((vars) => Object.fromEntries(Object.entries(vars).sort(([a], [b]) => (a < b ? -1 : 1)))),
  ),
  layers: fc.uniqueArray(layer, { selector: (each) => each.ref, maxLength: 4 }).map(eachInItsStage),
  testCases: fc.array(
    fc.record({
      name,
      required: fc.boolean(),
      args: free,
      fixtures: free,
      expected: free,
    }),
    { maxLength: 3 },
  ),
});

describe('a flow as a document', () => {
  it('comes out of import and export as it went in, to the letter', async () => {
    await fc.assert(
      fc.asyncProperty(document, async (written) => {
        expect(JSON.stringify(await roundTrip(JSON.parse(JSON.stringify(written))), null, 2)).toBe(
          JSON.stringify(written, null, 2),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('may leave out what has a default', async () => {
    const short = {
      schema: 'weft.flow/1',
      name: 'x',
      layers: [{ ref: 'a', appId: 'text-template', args: { template: 'x' } }],
    };
    const options = { when: null, retry: null, timeoutMs: null, forEach: null, stage: null };
    expect(await roundTrip(short)).toEqual({
      ...short,
      category: '',
      description: '',
      isBlueprint: false,
      when: null,
      settings: { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null },
      blueprintVars: null,
      layers: [{ ...short.layers[0], name: 'a', onError: 'fail', onInterrupted: 'repeat', ...options }],
      testCases: [],
    });
  });

  it('is read with a fixture of a layer that was deleted, which an export has', async () => {
    const testCases = [{ name: 'one', fixtures: { gone: { text: 'x' } } }];
    const read = await roundTrip({ schema: 'weft.flow/1', name: 'x', testCases });
    expect(read.testCases).toMatchObject(testCases);
  });

  it.each([
    { ref: '9 lives!' },
    { ref: 'args' },
    { retry: { attempts: 1_000 } },
    { retry: { attempts: 2, delayMs: 30 * 86_400_000 } },
    { timeoutMs: 86_400_001 },
    { when: 'x'.repeat(65_537) },
  ])('is refused by the published schema where the server refuses it: %o', async (fields) => {
    const written = (layer: object) => ({
      schema: 'weft.flow/1',
      name: 'x',
      layers: [{ ref: 'a', appId: 'text-template', args: { template: 'x' }, ...layer }],
    });
    const isValid = new Ajv2020({ strict: false }).compile(flowDocumentJsonSchema());
    expect(isValid(written({}))).toBe(true);
    expect(isValid(written(fields))).toBe(false);
    await expect(readDocument(written(fields), asWritten)).rejects.toMatchObject({ code: 'invalid_document' });
  });

  it('has the shape that is published (npm run docs writes it anew)', async () => {
    const published = await readFile('docs/reference/weft.flow-1.schema.json', 'utf8');
    expect(JSON.parse(published)).toEqual(flowDocumentJsonSchema());
  });
});

describe('a document that cannot be read', () => {
  const good = {
    schema: 'weft.flow/1',
    name: 'x',
    layers: [
      { ref: 'a', appId: 'text-template', args: { template: 'x' } },
      { ref: 'b', appId: 'text-template', args: { template: 'x' } },
    ],
  };
  const withLayer = (fields: object) => ({ ...good, layers: [good.layers[0], { ...good.layers[1], ...fields }] });

  it.each([
    [
      'of the future',
      { ...good, schema: 'weft.flow/2' },
      'document.schema',
      'unsupported_schema',
      /reads weft\.flow\/1.*is weft\.flow\/2/,
    ],
    ['of something else', { ...good, schema: 'other/1' }, 'document.schema', 'invalid', /must be "weft\.flow\/1"/],
    ['without a version', { name: 'x' }, 'document.schema', 'invalid', /must be/],
    [
      'with an unknown field',
      { ...good, colour: 1 },
      'document.colour',
      'unknown_field',
      /colour does not exist; there are schema, name/,
    ],
    ['with an id', withLayer({ id: 'x' }), 'document.layers.1.id', 'unknown_field', /id is no field/],
    ['with a wrong type', withLayer({ timeoutMs: 'x' }), 'document.layers.1.timeoutMs', 'invalid', /number/],
    ['with a bad ref', withLayer({ ref: '1st' }), 'document.layers.1.ref', 'invalid', /start with a letter/],
    ['with a ref twice', withLayer({ ref: 'a' }), 'document.layers.1.ref', 'ref_taken', /another layer/],
    [
      'with an unknown module',
      withLayer({ appId: 'none' }),
      'document.layers.1.appId',
      'unknown_app',
      /no such module/,
    ],
    [
      'with wrong args',
      withLayer({ appId: 'web-request', args: { url: 7 } }),
      'document.layers.1.args.url',
      'invalid_args',
      /args\.url must be a text/,
    ],
    [
      'with an unreadable expression',
      withLayer({ args: { template: '{{ .a' } }),
      'document.layers.1.args.template',
      'invalid_expression',
      /ends with/,
    ],
    [
      'with a limit out of range',
      { ...good, settings: { concurrency: 2000 } },
      'document.settings.concurrency',
      'invalid',
      /1000/,
    ],
    [
      'with a long time limit',
      { ...good, settings: { timeoutMs: 1e12 } },
      'document.settings.timeoutMs',
      'invalid',
      /timeoutMs must be an integer number of milliseconds from 1 to/,
    ],
    [
      'with a condition on an output',
      { ...good, when: '{{ .a.text }}' },
      'document.when',
      'invalid_expression',
      /before any layer/,
    ],
    [
      'with more values than a flow may have',
      withLayer({ args: { template: Array.from({ length: 50_000 }, () => 1) } }),
      'document.layers',
      'too_large',
      /at most 50000 values/,
    ],
    [
      'with a large test case',
      { ...good, testCases: [{ name: 'x', args: { x: 'y'.repeat(200_000) } }] },
      'document.testCases.0',
      'too_large',
      /128 KB/,
    ],
    [
      'with a split stage',
      { ...good, layers: ['s', 't', 's'].map((stage, i) => ({ ...good.layers[0], ref: `r${i}`, stage })) },
      'document.layers.2.stage',
      'stage_split',
      /must follow each other/,
    ],
  ])('is refused when it is one %s', async (_what, input, path, code, message) => {
    const error = { path, code, message: expect.stringMatching(message) as string };
    await expect(readDocument(input, asWritten)).rejects.toEqual(
      expect.objectContaining({ code: 'invalid_document', errors: expect.arrayContaining([error]) as unknown }),
    );
  });

  it('tells everything that is wrong at once', async () => {
    const bad = { ...good, layers: good.layers.map((each) => ({ ...each, appId: 'none' })) };
    await expect(readDocument(bad, asWritten)).rejects.toEqual(
      expect.objectContaining({
        errors: [
          expect.objectContaining({ path: 'document.layers.0.appId' }),
          expect.objectContaining({ path: 'document.layers.1.appId' }),
        ],
      }),
    );
  });

  it('tells faults of every kind at once, wherever they are', async () => {
    const bad = {
      ...good,
      colour: 1,
      layers: [
        { ref: 'a', appId: 'web-request', args: { uri: 'http://a/' } },
        { ref: 'b', appId: 'text-template', args: { template: '{{ .c.x }}' }, retry: 3 },
        { ref: 'c', appId: 'code', args: { source: 'return =' }, when: '{{ $nope }}' },
      ],
    };
    await expect(readDocument(bad, asWritten)).rejects.toMatchObject({
      errors: [
        { path: 'document.layers.1.retry', message: expect.stringContaining('must be an object') as string },
        { path: 'document.colour' },
        { path: 'document.layers.0.args.url', message: 'args.url is required; did you mean url instead of uri?' },
        { path: 'document.layers.0.args.uri' },
        { path: 'document.layers.2.args.source' },
        { path: 'document.layers.2.when' },
      ],
    });
    const refs = { ...bad, colour: undefined, layers: bad.layers.map(({ retry: _, ...layer }) => layer) };
    await expect(readDocument(refs, asWritten)).rejects.toMatchObject({
      errors: expect.arrayContaining([
        expect.objectContaining({ path: 'document.layers.1.args.template', code: 'later_ref' }),
        expect.objectContaining({ path: 'document.layers.0.args.url', code: 'invalid_args' }),
      ]) as unknown,
    });
  });

  it('lets the process have its turn between its layers', async () => {
    const slow = (i: number) => ({ ...good.layers[0], ref: `r${i}`, args: { template: '{{ 1+1 }}'.repeat(300) } });
    const turn = vi.fn();
    setImmediate(turn);
    await readDocument({ ...good, layers: Array.from({ length: 20 }, (_, i) => slow(i)) }, asWritten);
    expect(turn).toHaveBeenCalled();
  });
});

describe('what a document leaves out', () => {
  const layerOf = (fields: object) => ({
    ref: 'a',
    appId: 'web-request',
    args: { url: 'https://e.example' },
    ...fields,
  });
  const read = async (fields: object) =>
    (await readDocument({ schema: 'weft.flow/1', name: 'x', layers: [layerOf(fields)] }, asWritten)).layers[0];

  it.each([
    [{ attempts: 3 }, { attempts: 3, backoff: 'exponential', delayMs: 1_000, maxDelayMs: 60_000 }],
    [
      { attempts: 5, maxDelayMs: 300_000 },
      { attempts: 5, backoff: 'exponential', delayMs: 1_000, maxDelayMs: 300_000 },
    ],
    [
      { attempts: 2, delayMs: 90_000 },
      { attempts: 2, backoff: 'exponential', delayMs: 90_000, maxDelayMs: 90_000 },
    ],
    [
      { attempts: 2, backoff: 'fixed', on: ['429'] },
      { attempts: 2, backoff: 'fixed', delayMs: 1_000, maxDelayMs: 60_000, on: ['429'] },
    ],
  ])('of a retry is what the API takes for it: %j', async (retry, expected) => {
    expect((await read({ retry }))?.retry).toEqual(expected);
  });

  it('of a loop is one item at a time', async () => {
    expect((await read({ forEach: { in: '{{ $prev.args.list }}' } }))?.forEach).toMatchObject({ concurrency: 1 });
  });

  it('of a required field is named, and no field that is there is taken for it', async () => {
    const refused = async (retry: object) => {
      const error: unknown = await read({ retry }).catch((thrown: unknown) => thrown);
      return JSON.stringify((error as { errors?: unknown }).errors);
    };
    expect(await refused({ delayMs: 5, maxDelayMs: 5 })).toMatch(/retry\.attempts.{0,60}is required/);
    expect(await refused({ delayMs: 5, maxDelayMs: 5 })).not.toContain('did you mean');
    expect(await refused({ attempt: 5, delayMs: 5 })).toContain('did you mean attempts instead of attempt?');
  });
});
