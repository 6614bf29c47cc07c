import { z } from 'zod';
import type { WorkingModule } from '../../layer-module.js';
import { syntaxFault } from './syntax-fault.js';

const MAX_TIMEOUT_MS = 30_000;

const args = z.strictObject({
  source: z
    .string()
    .min(1)
    .max(65_536)
    .describe(
      'The body of a JavaScript function with the parameter input; it may await. What it returns is the value.',
    ),
  input: z.unknown().optional().describe('What the function is given, as JSON.'),
  timeoutMs: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .default(1_000)
    .describe('How much processor time it may take, in milliseconds.'),
});

/** Runs a JavaScript function without access to anything: no network, no files, no timers, no clock but the play's. */
export const code: WorkingModule<z.output<typeof args>> = {
  appId: 'code',
  title: 'Code',
  description: 'Runs a JavaScript function over its input; it reaches nothing outside.',
  icon: 'code',
  effect: 'pure',
  programs: ['source'],
  inspect: ({ source }) => syntaxFault(source),
  argsSchema: args,
  outSchema: z.strictObject({
    value: z.unknown().describe('What the function returned, as JSON; null when it returned nothing.'),
    logs: z.array(z.string()).describe('What it told console.log: 100 lines of 1,000 characters at most.'),
  }),
  examples: [
    {
      title: 'Initials of a name',
      args: {
        source: "console.log('for', input.name);\nreturn input.name.split(' ').map((part) => part[0]).join('');",
        input: { name: '{{ $prev.args.name ?? "Ada Lovelace" }}' },
      },
    },
  ],

  run: async ({ source, input, timeoutMs }, { sandbox }) => ({ ...(await sandbox.code(source, input, timeoutMs)) }),
};
