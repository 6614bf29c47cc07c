import { asText } from '@weft/expressions';
import { z } from 'zod';
import { LayerFailure, type WorkingModule } from '../../layer-module.js';

const args = z.strictObject({
  template: z
    .unknown()
    .refine((value) => value !== undefined, 'expected a text')
    .describe('A text with {{ expressions }}. A value that is no text is written as JSON, null as nothing.')
    .meta({ type: 'string' }),
});

/** Returns its template as text: the expressions in it were evaluated before, as in the arguments of any layer. */
export const textTemplate: WorkingModule<z.output<typeof args>> = {
  appId: 'text-template',
  title: 'Text template',
  description: 'Writes a text from run arguments and earlier outputs.',
  icon: 'file-text',
  effect: 'pure',
  argsSchema: args,
  outSchema: z.strictObject({ text: z.string().describe('The finished text.') }),
  examples: [
    { title: 'Greet', args: { template: 'Hello {{ $prev.args.name ?? "world" }}' } },
    { title: 'Report an earlier answer', args: { template: 'Status {{ .fetch.statusCode }}: {{ .fetch.body }}' } },
  ],

  run({ template }, { maxOutputBytes }) {
    const text = asText(template);
    // Few texts have to be measured: a character has at most three bytes.
    if (text.length * 3 > maxOutputBytes && Buffer.byteLength(text) > maxOutputBytes) {
      throw new LayerFailure('output_too_large', `the text is longer than ${maxOutputBytes} bytes`);
    }
    return { text };
  },
};
