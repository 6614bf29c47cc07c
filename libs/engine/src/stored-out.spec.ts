import { parseStoredJson } from '@weft/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outputIn } from './payload-form.js';
import type { LayerResult } from './play.js';
import { outOf, packOut, withoutBigIntegers } from './stored-out.js';

/** An answer as the web request gives it: `json` is what the text tells. */
const answerOf = (body: string, json: unknown = parseStoredJson(body)) => ({
  ...{ statusCode: 200, headers: { 'content-type': 'application/json' }, durationMs: 3 },
  ...{ body, json },
});
const stored = (out: unknown) => packOut(out) as LayerResult;
/** As MongoDB gives it back: another object. */
const read = (out: unknown) => outOf(structuredClone(stored(out)));

describe('an output whose JSON is stored once', () => {
  it('is the same output when it is read, of one call, of a loop, and of a loop that collects failures', () => {
    const answers = fc.record({ text: fc.json(), space: fc.constantFrom('', ' ', '\n') }).map(({ text, space }) => {
      return answerOf(`${space}${JSON.stringify(JSON.parse(text), null, space === '' ? 0 : 2)}`);
    });
    const other = fc.constantFrom(
      null,
      'text',
      answerOf('<p>', null),
      { body: { $ref: 'f' }, json: null },
      { value: 1 },
    );
    const item = fc.oneof(answers, other);
    const failed = { ok: false, out: null, error: { code: 'timeout' } };
    const collected = fc.oneof(
      fc.constant(failed),
      item.map((out) => ({ ok: true, out, error: null })),
    );
    const out = fc.oneof(item, fc.array(item), fc.array(collected));
    fc.assert(
      fc.property(out, (each) => {
        expect(read(each)).toEqual(each);
        // also as text: what a layer sends of it is the same after a crash
        expect(JSON.stringify(read(each))).toBe(JSON.stringify(each));
      }),
    );
  });

  it('has its text exactly, with what JSON does not keep', () => {
    const body = '\ufeff{ "big": 12345678901234567890, "twice": 1, "twice": 2, "zero": -0, "e": 1.0e2 }\r\n';
    const json = parseStoredJson(body);
    expect(json).toMatchObject({ big: 12345678901234567890n });
    const { out, jsonFrom } = stored(answerOf(body, json));
    expect(out).not.toHaveProperty('json');
    expect(jsonFrom).toBe('body');
    expect(read(answerOf(body, json))).toEqual({ ...answerOf(body, json), body });
  });

  it('is not changed where there is nothing to leave out, and is what was stored where nothing was', () => {
    for (const out of [null, 'x', 7, [], {}, answerOf('null'), answerOf('no', null), { body: '{}' }]) {
      expect(packOut(out)).toEqual({ out });
      expect(outOf({ out })).toEqual(out);
    }
    expect(outOf({ out: { body: '{}' } })).not.toHaveProperty('json');
    expect(outOf({ out: undefined })).toBeNull();
  });

  it('has null for a text that is no JSON any more', () => {
    expect(outOf({ out: { body: '{"a"' }, jsonFrom: 'body' })).toEqual({ body: '{"a"', json: null });
  });

  it('is null when it was erased, and parsed once however often it is read', () => {
    expect(outOf({ out: null, jsonFrom: 'body' })).toBeNull();
    const result = stored(answerOf('{"a":[1]}'));
    expect(outOf(result)).toBe(outOf(result));
  });

  it('is its text where MongoDB would change integers of the rest, and not otherwise', () => {
    const id = 7615917337495251231n;
    const pages = { pages: [{ json: { id } }], count: 1 };
    expect(withoutBigIntegers(packOut(pages), pages)).toEqual({
      ...{ out: { text: '{"pages":[{"json":{"id":7615917337495251231}}],"count":1}' }, jsonFrom: 'text' },
    });
    expect(outOf(withoutBigIntegers(packOut(pages), pages))).toEqual(pages);
    const answer = answerOf('{"id":7615917337495251231}');
    expect(withoutBigIntegers(packOut(answer), answer)).toEqual(packOut(answer));
    expect(outOf(packOut(answer))).toMatchObject({ json: { id } });
    expect(outOf({ out: { text: '{' }, jsonFrom: 'text' })).toBeNull();
  });
});

describe('a form whose content is held', () => {
  it('gives each field as it reads the content', () => {
    const content = Buffer.from('\ufeff{"a":"ä"}');
    const fields = { text: 'text', json: 'json', base64: 'base64' } as const;
    expect(outputIn({ outline: '{"statusCode":200}', content: fields, bytes: 1 }, content)).toEqual({
      ...{ statusCode: 200, text: '\ufeff{"a":"ä"}', json: { a: 'ä' }, base64: content.toString('base64') },
    });
  });
});
