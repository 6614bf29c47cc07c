import { isTruthy } from '@weft/expressions';
import { z } from 'zod';
import type { WorkingModule } from '../../layer-module.js';

const args = z.strictObject({
  condition: z
    .unknown()
    .refine((value) => value !== undefined, 'expected a condition')
    .describe('One expression in braces. false, null, 0, the empty text and the text "false" end the play here.'),
});

/** Lets the play continue, or filters out itself and every layer that has not ended. */
export const filter: WorkingModule<z.output<typeof args>> = {
  appId: 'filter',
  title: 'Filter',
  description: 'Goes on only when a condition holds; else this layer and all later ones are filtered out.',
  icon: 'filter',
  effect: 'pure',
  conditions: ['condition'],
  argsSchema: args,
  outSchema: z.strictObject({ passed: z.boolean().describe('Whether the condition held.') }),
  examples: [
    { title: 'Go on with an amount only', args: { condition: '{{ $prev.args.amount ?? 0 }}' } },
    { title: 'Go on when a service said so', args: { condition: '{{ .fetch.json.id }}' } },
  ],

  run: ({ condition }) => ({ passed: isTruthy(condition) }),
  steer: (_args, { passed }) => (passed ? undefined : { filterRest: true }),
};
