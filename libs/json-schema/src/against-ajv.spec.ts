import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonSchema } from './definitions.js';
import { schemaFaults } from './schema-faults.js';
import { valueFaults } from './value-faults.js';

const names = fc.constantFrom('a', 'b', 'c');
const { schema: schemas } = fc.letrec<{ schema: JsonSchema; node: JsonSchema }>((tie) => ({
  schema: fc.record({
    properties: fc.dictionary(names, tie('node'), { maxKeys: 2 }),
    $defs: fc.record({ x: tie('node'), y: tie('node') }),
  }),
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<JsonSchema>(
      { type: 'string', minLength: 2 },
      { type: ['integer', 'null'], maximum: 1 },
      { type: 'object', required: ['a'] },
      { enum: ['a', 1, { a: [] }] },
      { const: null },
      { minItems: 1 },
      { pattern: '^a+$' },
      { $ref: '#/$defs/x' },
      { $ref: '#/$defs/y', required: ['b'] },
    ),
    fc.record({
      properties: fc.dictionary(names, tie('node'), { maxKeys: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), tie('node')),
    }),
    fc.record({ items: tie('node'), maxItems: fc.nat(2) }),
    ...(['anyOf', 'oneOf', 'allOf'] as const).map((keyword) =>
      fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((list) => ({ [keyword]: list })),
    ),
  ),
}));

const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>('a', 'aa', 'b', 0, 1, 2.5, null, true, { a: [] }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3 }).map((fields) => ({ ...fields })),
  ),
}));

it('a schema judges every value as another judge does, also by references and circles through fields', () => {
  let fitting = 0;
  let judged = 0;
  fc.assert(
    fc.property(
      schemas,
      fc.array(fc.dictionary(names, values, { minKeys: 1, maxKeys: 3 }), { minLength: 5, maxLength: 10 }),
      (schema, several) => {
        fc.pre(schemaFaults(schema).length === 0);
        const other = new Ajv2020({ strict: false, logger: false }).compile(schema);
        for (const value of several) {
          const fits = valueFaults(schema, value).length === 0;
          judged += 1;
          if (fits) fitting += 1;
          expect(fits).toBe(other(value));
        }
      },
    ),
    { numRuns: 80 },
  );
  expect(fitting).toBeGreaterThan(0);
  expect(judged - fitting).toBeGreaterThan(0);
});
