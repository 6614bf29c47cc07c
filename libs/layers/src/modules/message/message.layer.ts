import { z } from 'zod';
import { LayerFailure, type Connection, type WorkingModule } from '../../layer-module.js';
import { postJson } from '../../call/linked-request.js';
import { messageBody } from './message-body.js';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: 'expected a text, a number, true, false or null',
});

const args = z.strictObject({
  integrationId: z
    .string()
    .min(1)
    .max(64)
    .describe('Id or key of an integration link whose secret is a webhook address.'),
  text: z.string().min(1).max(20_000).describe('What to say.'),
  fields: z
    .record(z.string().min(1).max(200), scalar)
    .default({})
    .describe('Names and values that are shown below the text; those that are null are left out.'),
});

type MessageArgs = z.output<typeof args>;

/**
 * Posts to an incoming webhook. The body depends on the type of the link: `slack`, `teams`, `discord`, and for any
 * other type `{ text, fields }`. Fails with the codes of the egress client and with `bad_status`; the address of the
 * webhook is its secret and appears in no message.
 */
export const message: WorkingModule<MessageArgs> = {
  appId: 'message',
  title: 'Message',
  description: 'Posts a message to the incoming webhook of a chat.',
  icon: 'message-square',
  effect: 'effect',
  argsSchema: args,
  outSchema: z.strictObject({ statusCode: z.int().describe('What the webhook answered.') }),
  examples: [
    {
      title: 'Tell the team',
      args: { integrationId: '{{ $blueprint.chat }}', text: 'Order {{ $prev.args.orderId }} came in.' },
    },
    {
      title: 'With figures',
      args: {
        integrationId: '{{ $blueprint.chat }}',
        text: 'Import finished',
        fields: { rows: '{{ $prev.args.rows }}', failed: 0 },
      },
    },
  ],

  async run({ integrationId, text, fields }, context) {
    const link = await context.connection(integrationId);
    const { statusCode } = await postJson(
      { url: webhookOf(link), body: messageBody(link.type, text, fields), answer: 'ignored' },
      context,
    );
    return { statusCode };
  },
};

function webhookOf({ secret }: Connection): string {
  if (/^https?:\/\//i.test(secret) && URL.canParse(secret)) return secret;
  throw new LayerFailure('integration_unusable', 'The integration cannot be used: its secret is no webhook address.');
}
