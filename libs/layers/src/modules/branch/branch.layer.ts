import { isTruthy } from '@weft/expressions';
import { z } from 'zod';
import type { WorkingModule } from '../../layer-module.js';

const refs = z.array(z.string().min(1).max(100)).max(500);

const args = z.strictObject({
  cases: z
    .array(
      z.strictObject({
        when: z
          .unknown()
          .refine((value) => value !== undefined, 'expected a condition')
          .describe('One expression in braces. false, null, 0, the empty text and the text "false" are no.'),
        refs: refs.describe('The layers of this case.'),
      }),
    )
    .min(1)
    .max(100)
    .describe('The first case whose condition holds is taken; the layers of all others are skipped.'),
  else: refs.default([]).describe('The layers that run when no condition holds.'),
});

/**
 * Chooses which of the later layers run: those of the first case whose condition is true. Layers that no case names
 * always run.
 */
export const branch: WorkingModule<z.output<typeof args>> = {
  appId: 'branch',
  title: 'Branch',
  description: 'Takes the first case whose condition holds; the layers of the other cases are skipped.',
  icon: 'git-branch',
  effect: 'pure',
  conditions: ['cases.*.when'],
  refs: ['cases.*.refs.*', 'else.*'],
  argsSchema: args,
  outSchema: z.strictObject({ taken: refs.describe('The layers of the case that was taken.') }),
  examples: [
    {
      title: 'Greet or say goodbye',
      args: { cases: [{ when: '{{ $prev.args.arrives }}', refs: ['greet'] }], else: ['say-goodbye'] },
    },
    {
      title: 'By what a service said',
      args: {
        cases: [
          { when: '{{ .fetch.json.paid ?? false }}', refs: ['ship'] },
          { when: '{{ .fetch.json.id }}', refs: ['remind'] },
        ],
      },
    },
  ],

  run: ({ cases, else: otherwise }) => ({ taken: cases.find(({ when }) => isTruthy(when))?.refs ?? otherwise }),

  steer({ cases, else: otherwise }, { taken }) {
    const runs = new Set(taken as readonly string[]);
    const named = [...cases.flatMap((each) => each.refs), ...otherwise];
    return { skip: [...new Set(named)].filter((ref) => !runs.has(ref)) };
  },
};
