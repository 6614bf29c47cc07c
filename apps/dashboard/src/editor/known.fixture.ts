import type { Known } from './expression';

/** Of an output whose branches are trees again. */
const TREE = {
  properties: { text: { type: 'string' }, tree: { $ref: '#/$defs/tree' } },
  $defs: {
    tree: {
      allOf: [
        { $ref: '#/$defs/named' },
        { properties: { branches: { type: 'array', items: { $ref: '#/$defs/tree' } } } },
      ],
    },
    named: {
      properties: {
        name: { type: ['string', 'null'] },
        of: { oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] },
      },
    },
  },
};

export const KNOWN: Known = {
  refs: [
    {
      ref: 'fetch',
      name: 'Fetch the order',
      shape: { properties: { statusCode: { type: 'integer' }, json: {} } },
      mayFail: true,
    },
    { ref: 'never-ran', name: 'never-ran', shape: TREE, mayFail: false },
  ],
  args: { order: { id: 'A-1', 'odd name': 1, lines: [{ sku: 'tea' }] } },
  argsShape: { properties: { order: { properties: { id: {}, note: {} } } } },
  outs: new Map<string, unknown>([['fetch', { statusCode: 200, json: { total: 12, none: null } }]]),
  variables: new Map(),
  used: new Map(),
};

const item = { id: 'a', tags: ['x', 'y'] };
/** A loop over items of which the first one is known. */
export const LOOP: Known = {
  ...KNOWN,
  variables: new Map([
    ['$item', { says: 'the item', shape: { properties: { id: {}, note: { type: 'string' } } }, value: item }],
    ['$index', { says: 'its place', shape: {}, value: 0 }],
  ]),
};
