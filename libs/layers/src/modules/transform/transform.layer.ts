import { z } from 'zod';
import type { WorkingModule } from '../../layer-module.js';

const args = z.strictObject({
  expression: z
    .string()
    .min(1)
    .max(65_536)
    .describe(
      'JSONata, as it is: no braces around it. It reads input, $prev.<ref>, $prev.args and what expressions read.',
    ),
  input: z.unknown().optional().describe('What names in the expression begin at ($).'),
});

/** Computes a value from others with JSONata. */
export const transform: WorkingModule<z.output<typeof args>> = {
  appId: 'transform',
  title: 'Transform',
  description: 'Computes a value from run arguments and earlier outputs, in JSONata.',
  icon: 'shuffle',
  effect: 'pure',
  programs: ['expression'],
  jsonata: 'expression',
  argsSchema: args,
  outSchema: z.strictObject({
    value: z.unknown().describe('What the expression gives; null when that is nothing.'),
  }),
  examples: [
    {
      title: 'Total of an order',
      args: {
        expression: '{ "total": $sum(lines.(price * count)), "skus": [lines.sku] }',
        input: {
          lines: [
            { sku: 'A-1', price: 20, count: 2 },
            { sku: 'B-7', price: 5, count: 1 },
          ],
        },
      },
    },
    {
      title: 'From an earlier answer',
      args: { expression: '$prev.fetch.statusCode < 300 ? $prev.fetch.json.id : null' },
    },
  ],

  run: async ({ expression, input }, { sandbox }) => ({ value: await sandbox.transform(expression, input) }),
};
