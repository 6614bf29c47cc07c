import type { PayloadForm } from '@weft/engine';
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { JsonPath, JsonRead } from './json-paths.js';
import { outputText } from './output-text.js';
import { ReadBudget, readStored } from './read-stored.js';
import { MemoryPayloads } from './memory-payloads.fixture.js';

const BODY = '{"items":[{"id":1,"name":"Ä 😀"},{"id":2}],"total":2}';
const OUTLINE = '{"statusCode":200,"headers":{"x-a":"1"}}';

async function stored(content: string | Buffer, form?: PayloadForm, pieceBytes = 3) {
  const payloads = new MemoryPayloads(pieceBytes);
  const ref = await payloads.put(null, Buffer.from(content as string));
  if (form) payloads.forms.set(ref.$ref, form);
  const open = () => payloads.open('company', ref);
  return {
    read: async (paths: readonly JsonPath[], maxBytes = 1_000) => {
      const reads = paths.map((steps) => ({ steps, throughLists: false }));
      const values = await readStored('fetch', open, reads, new ReadBudget(maxBytes));
      return paths.map((path) => values.at(path));
    },
    picked: async (paths: readonly (readonly string[])[]) => {
      const reads: JsonRead[] = paths.map((steps) => ({ steps, throughLists: true }));
      return (await readStored('fetch', open, reads, new ReadBudget(1_000))).pick(paths);
    },
    whole: async () => JSON.parse(await text(Readable.from(outputText(open)))) as unknown,
  };
}

const asJson = { outline: OUTLINE, content: { body: 'text', json: 'json' } } as const;

describe('an output that is stored as the content that came', () => {
  it('is read value by value', async () => {
    const { read } = await stored(BODY, asJson);
    const paths = [
      ['json', 'items', 1, 'id'],
      ['json', 'items', 'length'],
      ['json', 'items', 0, 'name'],
      ['statusCode'],
      ['headers', 'x-a'],
      ['body'],
      ['body', 'length'],
      ['json', 'none'],
      ['none'],
      ['headers', 'constructor'],
    ];
    expect(await read(paths)).toEqual([2, 2, 'Ä 😀', 200, '1', BODY, ...Array.from({ length: 4 }, () => undefined)]);
  });

  it('is read in parts where it has more values than a process can hold', async () => {
    const { read } = await stored(`{"id":7,"empty":[${'{},'.repeat(3_250_000)}{}]}`, asJson, 65_536);
    expect(await read([['json', 'id']], 32_000_000)).toEqual([7]);
    await expect(read([['json', 'empty']], 32_000_000)).rejects.toMatchObject({
      code: 'output_too_large',
      message: 'fetch.json.empty cannot be read: it has too many values. Name a part of it.',
    });
  });

  it('gives richer expressions whole lists where a path means their items', async () => {
    const { picked } = await stored(BODY, { ...asJson, outline: '{"list":[{"a":1}],"b":{"c":2,"d":3}}' });
    const paths = [
      ['json', 'items', 'id'],
      ['json', 'total'],
      ['list', 'a'],
      ['b', 'c'],
      ['b', 'none'],
      ['no', 'where'],
    ];
    const { items } = JSON.parse(BODY) as { items: unknown };
    expect(await picked(paths)).toEqual({ json: { items, total: 2 }, list: [{ a: 1 }], b: { c: 2 } });
    expect(await picked([[]])).toMatchObject({ json: { items }, b: { c: 2 } });
  });

  it('is the same as a whole as in its parts', async () => {
    const { read, whole } = await stored(BODY, asJson);
    const output = { statusCode: 200, headers: { 'x-a': '1' }, body: BODY, json: JSON.parse(BODY) as unknown };
    expect(await whole()).toEqual(output);
    expect(await read([[], ['json']])).toEqual([output, output.json]);
  });

  it.each<[PayloadForm['content'], Buffer, Record<string, unknown>]>([
    [{ body: 'windows-1252' }, Buffer.from([0x63, 0xe9, 0x22, 0x80]), { body: 'cé"€' }],
    [{ body: 'base64' }, Buffer.from([0, 1, 2, 3, 4, 255, 254]), { body: 'AAECAwT//g==' }],
    [{ body: 'text', json: 'json' }, Buffer.from('\ufeff[1]'), { body: '\ufeff[1]', json: [1] }],
    [{ body: 'text' }, Buffer.from('a"\n\\\u2028\0'), { body: 'a"\n\\\u2028\0' }],
    [{ body: 'text' }, Buffer.alloc(0), { body: '' }],
  ])('has %j of it', async (content, bytes, fields) => {
    const { read, whole } = await stored(bytes, { outline: '{}', content });
    expect(await whole()).toEqual(fields);
    expect(await read(Object.keys(fields).map((name) => [name]))).toEqual(Object.values(fields));
  });

  it('is read no further than the limit, which names the path', async () => {
    const { read } = await stored('x'.repeat(5_000), { outline: '{}', content: { body: 'text' } }, 100);
    const refusal = (name: string): unknown =>
      expect.objectContaining({ code: 'output_too_large', message: expect.stringContaining(name) as unknown });
    await expect(read([['body']])).rejects.toEqual(refusal('fetch.body'));
    await expect(read([[]])).rejects.toEqual(refusal('fetch '));
    const list = await stored(JSON.stringify({ small: 1, large: Array.from({ length: 999 }, () => 1) }), asJson, 100);
    await expect(list.read([['json', 'large']])).rejects.toEqual(refusal('fetch.json.large'));
    expect(
      await list.read([
        ['json', 'small'],
        ['json', 'large', 998],
      ]),
    ).toEqual([1, 1]);
    // each of them alone would fit
    await expect(list.read([['json', 'large', 'length'], ['statusCode'], ['body']], 1_500)).rejects.toEqual(
      refusal('fetch.body'),
    );
  });
});

describe('an output that is stored as JSON text', () => {
  it('is read value by value, too', async () => {
    const { read, whole } = await stored('{"text":"a","value":{"b":[true,null]}}');
    expect(await read([['value', 'b', 1], ['value', 'b', '0'], ['text'], ['text', 'x'], ['no']])).toEqual([
      null,
      true,
      'a',
      undefined,
      undefined,
    ]);
    expect(await whole()).toEqual({ text: 'a', value: { b: [true, null] } });
  });

  it('fails when it goes while it is read', async () => {
    const open = async () => null;
    await expect(
      readStored('fetch', open, [{ steps: ['a'], throughLists: false }], new ReadBudget(10)),
    ).rejects.toThrow('removed');
  });
});
