import { describe, expect, it } from 'vitest';
import { visibleSchema, withFixed } from './fixed.js';

describe('fixed values', () => {
  it('take the place of what the model gives, and are put in where it gives nothing', () => {
    const fixed = { 'body.account': 'A', tenant: { id: 7 } };
    expect(withFixed({ body: { account: 'mine', n: 1 }, tenant: 'theirs' }, fixed)).toEqual({
      ...{ body: { account: 'A', n: 1 }, tenant: { id: 7 } },
    });
    expect(withFixed({}, fixed)).toEqual({ body: { account: 'A' }, tenant: { id: 7 } });
  });

  it.each([['text'], [[1]], [null]])('need objects on the way: %j is not one', (body) => {
    expect(withFixed({ body }, { 'body.account': 'A' })).toBeNull();
  });

  it('are put in by names that objects have from birth, too', () => {
    const put = withFixed({}, { 'constructor.prototype': 1, '__proto__.x': 2 });
    expect(Object.keys(put ?? {})).toEqual(['constructor', '__proto__']);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

describe('the schema that a model sees', () => {
  const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
  const account = { type: 'string', description: 'The account.' };

  it('has nothing of what is fixed', () => {
    const schema = object(
      { body: object({ account, n: {} }, { required: ['account', 'n'] }), q: {} },
      { required: ['body'] },
    );
    expect(visibleSchema(schema, ['body.account']).schema).toEqual(
      object({ body: object({ n: {} }, { required: ['n'] }), q: {} }, { required: ['body'] }),
    );
  });

  it('asks for no object of which nothing is left that is required', () => {
    const schema = object({ body: object({ account, n: {} }, { required: ['account'] }) }, { required: ['body'] });
    expect(visibleSchema(schema, ['body.account']).schema).toEqual(object({ body: object({ n: {} }) }));
  });

  it('follows references, for this place alone, and has no definition that is not used', () => {
    const schema = object({ from: { $ref: '#/$defs/Party' }, to: { $ref: '#/$defs/Party' } });
    const $defs = { Party: object({ account, bank: { $ref: '#/$defs/Bank' } }), Bank: object({}), Left: account };
    expect(visibleSchema({ ...schema, $defs }, ['from.account']).schema).toEqual({
      ...object({ from: object({ bank: { $ref: '#/$defs/Bank' } }), to: { $ref: '#/$defs/Party' } }),
      $defs: { Party: $defs.Party, Bank: $defs.Bank },
    });
    expect(visibleSchema({ ...schema, $defs }, ['from', 'to']).schema).toEqual(object({}));
  });

  it('looks into all branches of a combination', () => {
    const schema = {
      ...object({ n: {} }),
      allOf: [object({ account }), object({ m: {} })],
      oneOf: [object({ account, o: {} })],
    };
    expect(visibleSchema(schema, ['account']).schema).toEqual({
      ...object({ n: {} }),
      allOf: [object({}), object({ m: {} })],
      oneOf: [object({ o: {} })],
    });
  });

  it('names the paths that it does not know, also of references that lead in a circle', () => {
    const $defs = { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } };
    const schema = { ...object({ body: object({ n: {} }), a: { $ref: '#/$defs/A' } }), $defs };
    const paths = ['body.account', 'body.n.deep', 'constructor', 'a.x', 'body.n'];
    expect(visibleSchema(schema, paths).unknown).toEqual(['body.account', 'body.n.deep', 'constructor', 'a.x']);
  });
});
