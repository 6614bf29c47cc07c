import 'reflect-metadata';
import { WeftError } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { GrantBody } from '../grants/grant.requests.js';
import { LoginBody } from '../auth/auth.requests.js';
import { MAX_LAYERS } from '@weft/shapes';
import { LayerOrderBody } from '../flows/layers/layer.requests.js';
import { DraftFields, ListFlowsQuery } from '../flows/flow.requests.js';
import { readBody, readQuery } from './dto.pipe.js';
import { readDto } from './read-dto.js';

/** A list that counts how often somebody looks at one of its items. */
function watched(items: readonly string[]): { list: string[]; looks: () => number } {
  let looks = 0;
  const list = new Proxy([...items], {
    get(target, name, receiver): unknown {
      if (typeof name === 'string' && /^\d+$/.test(name)) looks += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  return { list, looks: () => looks };
}

const different = (count: number): string[] => Array.from({ length: count }, (_, i) => i.toString(36));
const grant = { resource_type: 'flow', resource_id: 'f', grant_type: 'user', grantee_id: 'u' };

function refusalOf(read: () => unknown): WeftError {
  try {
    read();
  } catch (error) {
    if (error instanceof WeftError) return error;
    throw error;
  }
  throw new Error('It was taken');
}

describe('a list', () => {
  it('that is too long is not looked into', () => {
    const { list, looks } = watched(different(150_000));
    const read = readDto(GrantBody, { ...grant, permissions: list });
    expect(read).toMatchObject({
      ok: false,
      found: 1,
      errors: [{ path: 'permissions', message: 'permissions must contain no more than 4 elements' }],
    });
    expect(looks()).toBe(0);
  });

  it('is looked through as often as it has checks, however long it is', () => {
    const counts = [MAX_LAYERS / 10, MAX_LAYERS].map((length) => {
      const { list, looks } = watched(different(length));
      expect(readDto(LayerOrderBody, { layerIds: list }).ok).toBe(true);
      return looks() / length;
    });
    expect(counts[0]).toBeLessThan(10);
    expect(counts[1]).toBe(counts[0]);
  });

  it('that has an item twice is refused', () => {
    expect(readDto(LayerOrderBody, { layerIds: ['a', 'b', 'a'] })).toMatchObject({ ok: false, found: 1 });
  });
});

describe('a list of objects', () => {
  it('is judged item by item, whatever one of them is', () => {
    const layers = [{ ref: '', appId: 'x', retry: { attempts: 0 } }, 5, null, [], { ref: 'ok', odd: 1 }];
    const read = readDto(DraftFields, { when: 5, layers });
    expect(read.ok || read.errors.map(({ path, code }) => `${path} ${code}`).toSorted()).toEqual([
      ...['layers.0.ref invalid', 'layers.0.retry.attempts invalid', 'layers.1 invalid', 'layers.2 invalid'],
      ...['layers.3 invalid', 'layers.4.appId required', 'layers.4.odd unknown_field', 'when invalid'],
    ]);
  });
});

describe('a refusal', () => {
  it('names fifty of a megabyte of unknown fields at most, and says how many more there are', () => {
    const body = Object.fromEntries(different(90_000).map((name) => [name, 1]));
    const { message, errors } = refusalOf(() => readBody(LoginBody, body));
    expect(errors).toHaveLength(50);
    expect(errors.at(-1)?.message).toMatch(/^and 899\d\d more$/);
    expect(Buffer.byteLength(JSON.stringify([message, errors]))).toBeLessThan(10_000);
  });

  it('is short where the names are long', () => {
    const { message, errors } = refusalOf(() => readBody(LoginBody, { ['x'.repeat(1_000_000)]: 1 }));
    expect(Buffer.byteLength(JSON.stringify([message, errors]))).toBeLessThan(10_000);
  });
});

describe('a query', () => {
  it('has no NUL in a text, which the database would refuse', () => {
    const { code, errors } = refusalOf(() => readQuery(ListFlowsQuery, { q: '\0' }));
    expect([code, errors[0]?.path]).toEqual(['invalid_query', 'query.q']);
    expect(readQuery(ListFlowsQuery, { q: 'a (b' }).q).toBe('a (b');
  });
});
