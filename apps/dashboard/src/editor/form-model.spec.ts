import { describe, expect, it } from 'vitest';
import { fieldOf, fieldsOfArgs, firstArgs, modeOf, unknownNames, withField } from './form-model';

const SCHEMA = {
  type: 'object',
  properties: {
    url: { type: 'string', description: 'Where to.' },
    method: { enum: ['GET', 'POST'], type: 'string', default: 'GET' },
    body: { description: 'Anything.' },
    timeoutMs: { type: 'integer', minimum: 1, maximum: 9_007_199_254_740_991 },
    follow: { type: 'boolean', default: true },
    headers: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: ['string', 'null'] } },
    auth: { type: 'object', properties: { integrationId: { type: 'string' } }, required: ['integrationId'] },
    failOn: { type: 'array', items: { type: 'string' }, default: ['4xx', '5xx'] },
    to: { anyOf: [{ type: 'string' }, { type: 'array' }] },
  },
  required: ['url', 'auth'],
};
const FIELDS = fieldsOfArgs('web-request', SCHEMA);
const named = (name: string) => FIELDS.find((each) => each.name === name) ?? fieldOf('', {});

describe('a form', () => {
  it('has a field of a fitting kind for each property', () => {
    expect(FIELDS.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'url text',
      'method choice',
      'body any',
      'timeoutMs number',
      'follow boolean',
      'headers map',
      'auth object',
      'failOn list',
      'to any',
    ]);
    expect(named('url')).toMatchObject({ isRequired: true, description: 'Where to.' });
    expect(named('timeoutMs')).toMatchObject({ isInteger: true, min: 1, max: null, isRequired: false });
    expect(FIELDS.map(({ fallback }) => fallback).filter(Boolean)).toEqual(['GET', 'true', '["4xx","5xx"]']);
  });

  it('takes programs for what they are', () => {
    const schema = { properties: { source: { type: 'string' }, input: {} }, required: ['source'] };
    expect(fieldsOfArgs('code', schema).map(({ kind }) => kind)).toEqual(['program', 'any']);
    expect(fieldsOfArgs('other', schema).map(({ kind }) => kind)).toEqual(['text', 'any']);
  });

  it('begins with what is required', () => {
    expect(firstArgs(FIELDS)).toEqual({ url: '', auth: { integrationId: '' } });
  });

  it.each([
    ['timeoutMs', 5, 'form'],
    ['timeoutMs', '{{ .a.ms }}', 'text'],
    ['timeoutMs', [5], 'json'],
    ['method', 'GET', 'form'],
    ['method', 'BREW', 'text'],
    ['headers', { a: 1 }, 'form'],
    ['headers', [], 'json'],
    ['failOn', ['4xx'], 'form'],
    ['failOn', '{{ .a.list }}', 'text'],
    ['url', { not: 'a text' }, 'json'],
    ['body', 'text', 'form'],
    ['body', { any: 1 }, 'json'],
    ['body', null, 'json'],
    ['body', undefined, 'form'],
  ] as const)('shows %s = %j as %s', (name, value, mode) => {
    expect(modeOf(named(name), value)).toBe(mode);
  });

  it('keeps what it does not know', () => {
    const args = { url: 'x', later: { new: true } };
    expect(unknownNames(FIELDS, args)).toEqual(['later']);
    expect(withField(args, 'url', 'y')).toEqual({ url: 'y', later: { new: true } });
    expect(withField(args, 'url', undefined)).toEqual({ later: { new: true } });
  });
});
