import { aLayer, aVersion } from '@weft/testing';
import { describe, expect, it, vi } from 'vitest';
import { peerWith, resultOf } from '../loops/series.fixture.js';
import { faceOf } from '../modules/operation/shop.fixture.js';
import { operation } from '../modules/operation/operation.layer.js';
import { prepareVersion } from './prepared-version.js';

const ANY = { api: 'shop', operation: 'createOrder', input: { body: '{{ $prev.args.order }}' } };

/** The results of plays of one prepared version, one after the other, each with these args. */
async function ended(args: object, given: readonly object[]) {
  const layer = aLayer('a', { appId: 'operation', args: { ...args } });
  const prepared = prepareVersion(
    aVersion([layer]),
    'Acme',
    undefined,
    new Map([['shop/createOrder', faceOf('createOrder')]]),
  );
  const peer = peerWith({ layer: {}, answer: () => ({ statusCode: 201 }) });
  const parse = vi.spyOn(operation.argsSchema, 'safeParse');
  const ends = [];
  for (const each of given) ends.push(resultOf(await peer.run({ prepared, of: { args: { ...each } } })));
  const parsed = parse.mock.calls.length;
  parse.mockRestore();
  return { states: ends.map(({ state, error }) => error?.message ?? state), parsed, requests: peer.requests };
}

describe('arguments of which one may be any object', () => {
  it('are parsed once where only that one changes, which is judged each time', async () => {
    const { states, parsed, requests } = await ended(ANY, [
      { order: { id: 1 } },
      { order: { id: 2 } },
      { order: { id: 'x' } },
    ]);
    expect(states).toEqual(['DONE', 'DONE', 'input.body.id must be integer']);
    expect(parsed).toBe(1);
    expect(requests.map(({ body }) => Buffer.from(body as string).toString())).toEqual(['{"id":1}', '{"id":2}']);
  });

  it('are parsed where that one is not an object, or has a name that is dropped', async () => {
    const order = { body: { id: 1 } };
    const named = JSON.parse('{"body":{"id":2},"__proto__":{"a":1}}') as object;
    const { states, parsed } = await ended({ ...ANY, input: '{{ $prev.args.order }}' }, [
      { order },
      { order: 'text' },
      { order: [order] },
      { order: named },
    ]);
    expect(states).toEqual([
      'DONE',
      'input must be an object, not a text',
      'input must be an object, not a list',
      'DONE',
    ]);
    expect(parsed).toBe(4);
  });

  it('are parsed each time where another one has an expression', async () => {
    const { states, parsed } = await ended({ ...ANY, onUnexpected: '{{ $prev.args.how }}' }, [
      { order: { id: 1 }, how: 'fail' },
      { order: { id: 1 }, how: 'never' },
    ]);
    expect(states).toEqual(['DONE', 'onUnexpected must be one of "warn", "fail"']);
    expect(parsed).toBe(2);
  });
});
