import { WeftError } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { assertNames, parseJsonBody as parseBytes } from './json-body.js';

const parseJsonBody = (text: string) => parseBytes(Buffer.from(text));

function refusalOf(text: string): { code: string; paths: string[] } {
  try {
    parseJsonBody(text);
  } catch (error) {
    if (error instanceof WeftError) return { code: error.code, paths: error.errors.map((each) => each.path) };
    throw error;
  }
  throw new Error('was accepted');
}

const nested = (depth: number): string => '{"a":'.repeat(depth - 1) + '{}' + '}'.repeat(depth - 1);

describe('parseJsonBody', () => {
  it('reads nothing as an empty object', () => {
    expect(parseJsonBody('')).toEqual({});
  });

  it('calls broken JSON malformed', () => {
    expect(refusalOf('{"a":').code).toBe('malformed_json');
  });

  it.each(['{"__proto__":{"x":1}}', '{"args":{"a":[{"__proto__":null}]}}', '{"\\u005f_proto__":1}'])(
    'refuses a prototype key anywhere: %s',
    (text) => {
      expect(refusalOf(text).code).toBe('invalid_body');
      expect(({} as Record<string, unknown>).x).toBeUndefined();
    },
  );

  it('refuses constructor.prototype, and takes a plain constructor as a value', () => {
    expect(refusalOf('{"args":{"constructor":{"prototype":{}}}}').paths).toEqual(['args.constructor']);
    expect(parseJsonBody('{"args":{"constructor":"Acme"}}')).toEqual({ args: { constructor: 'Acme' } });
  });

  it('refuses what the database driver would take for a type of its own', () => {
    expect(refusalOf('{"args":{"_bsontype":"ObjectId"}}').paths).toEqual(['args._bsontype']);
    expect(refusalOf('{"args":{"a\\u0000b":1}}').code).toBe('invalid_body');
  });

  it.each(['args', 'payload', 'value', 'fixtures', 'expected', 'body'])('keeps $-keys inside %s', (free) => {
    const text = `{"${free}":{"$where":1,"deep":[{"$gt":""}]}}`;
    expect(parseJsonBody(text)).toEqual(JSON.parse(text));
  });

  it('refuses $-keys elsewhere', () => {
    expect(refusalOf('{"name":{"$gt":""}}').paths).toEqual(['name.$gt']);
    expect(refusalOf('{"list":[{"$ne":1}]}').code).toBe('invalid_body');
  });

  it('keeps $-keys in the arguments of a tool, which those that are no flows refuse by themselves', () => {
    const of = (name: string, given: object) => JSON.stringify({ method: 'tools/call', params: { [name]: given } });
    const text = of('arguments', { order: { $ref: '#/1' } });
    expect(parseJsonBody(text)).toEqual(JSON.parse(text));
    expect(refusalOf(of('_meta', { order: { $ref: '#/1' } })).paths).toEqual(['params._meta.order.$ref']);
    expect(refusalOf('{"arguments":{"$ref":1}}').paths).toEqual(['arguments.$ref']);
    expect(() => assertNames({ q: { $gt: '' } })).toThrow('"params.arguments.q.$gt" starts with "$"');
    expect(() => assertNames({ args: { $ref: '#/1' } })).not.toThrow();
    expect(() => assertNames(undefined)).not.toThrow();
  });

  it('refuses more fields than any operation takes, save in values of the caller’s own', () => {
    const fields = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`f${i}`, 1]));
    expect(refusalOf(JSON.stringify(fields))).toEqual({ code: 'invalid_body', paths: [''] });
    expect(refusalOf(JSON.stringify({ list: [fields] })).paths).toEqual(['list']);
    expect(parseJsonBody(JSON.stringify({ args: fields }))).toEqual({ args: fields });
  });

  it('takes 32 levels and refuses 33', () => {
    expect(parseJsonBody(nested(32))).toBeTypeOf('object');
    expect(refusalOf(nested(33)).code).toBe('malformed_json');
    expect(refusalOf('['.repeat(200_000) + ']'.repeat(200_000)).code).toBe('malformed_json');
  });
});
