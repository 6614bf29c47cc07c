import { asText } from '@weft/expressions';
import { z } from 'zod';
import type { WorkingModule } from '../../layer-module.js';
import { patternFault } from './pattern-fault.js';

const args = z.strictObject({
  source: z
    .unknown()
    .refine((value) => value !== undefined, 'expected a text')
    .describe(
      'The text to look in. For jsonpath it may be a value; for the others, one that is no text is written as JSON.',
    ),
  kind: z.enum(['regex', 'jsonpath', 'css']).describe('What the pattern is written in.'),
  pattern: z
    .string()
    .min(1)
    .max(1_000)
    .describe('A regular expression (RE2: no look-around, no back references), a JSONPath, or a CSS selector.'),
  group: z
    .int()
    .min(0)
    .max(100)
    .default(0)
    .describe('Of a regular expression, which group is meant; 0 is all of the match.'),
  all: z.boolean().default(false).describe('Whether to look for more than the first match.'),
});

/** Extracts parts of a text. */
export const textExtraction: WorkingModule<z.output<typeof args>> = {
  appId: 'text-extraction',
  title: 'Text extraction',
  description: 'Takes parts out of a text: by regular expression, JSONPath or CSS selector.',
  icon: 'scan-text',
  effect: 'pure',
  argsSchema: args,
  inspect: patternFault,
  outSchema: z.strictObject({
    text: z.string().nullable().describe('The first match as text; null when nothing matches.'),
    matches: z
      .array(z.unknown())
      .describe(
        'The matches in their order, at most 10,000: texts, and for jsonpath values. One at most, unless all is true.',
      ),
  }),
  examples: [
    {
      title: 'Order number in a mail',
      args: { source: 'Your order #A-1042 is on its way', kind: 'regex', pattern: '#([A-Z]-[0-9]+)', group: 1 },
    },
    {
      title: 'Prices of an answer',
      args: { source: '{{ .fetch.json }}', kind: 'jsonpath', pattern: '$..price', all: true },
    },
    { title: 'Title of a page', args: { source: '<h1>Hello</h1><p>…</p>', kind: 'css', pattern: 'h1' } },
  ],

  async run({ source, kind, pattern, group, all }, { sandbox }) {
    // for jsonpath a text is JSON already
    const text = kind === 'jsonpath' && typeof source !== 'string' ? JSON.stringify(source) : asText(source);
    const matches = await sandbox.extract({ how: kind, pattern, source: text, group, all });
    return { text: matches.length === 0 ? null : asText(matches[0]), matches };
  },
};
