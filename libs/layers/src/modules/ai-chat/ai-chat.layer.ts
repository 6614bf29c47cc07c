import { parseJson } from '@weft/kernel';
import { z } from 'zod';
import { LayerFailure, type WorkingModule } from '../../layer-module.js';
import { postJson } from '../../call/linked-request.js';
import { withoutSecret } from '../../call/without-secret.js';
import { endpointOf } from './endpoint.js';
import { saidIn } from './said-in.js';

const message = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']).describe('Who says it.'),
  content: z.string().max(1_000_000).describe('What is said.'),
});

const args = z.strictObject({
  integrationId: z.string().min(1).max(64).describe('Id or key of an integration link whose secret is the API key.'),
  model: z.string().min(1).max(200).describe('Name of the model, as its provider calls it.'),
  messages: z.array(message).min(1).max(1_000).describe('The conversation so far.'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe('0 for the likeliest words, up to 2; the provider decides unless told.'),
  maxTokens: z.int().min(1).max(1_000_000).optional().describe('At most so many tokens of answer.'),
});

type AiChatArgs = z.output<typeof args>;

const count = z.int().min(0).catch(0);
/** The part of an answer that is read; providers add fields. */
const answered = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string().nullish() }) })).min(1),
  usage: z
    .looseObject({ prompt_tokens: count, completion_tokens: count, cost: z.number().min(0).nullish().catch(null) })
    .nullish(),
});

/**
 * Calls a model over an OpenAI-compatible API: POST `<endpoint>/chat/completions`. Fails with the codes of the egress
 * client, with `bad_status`, and with `invalid_output` for an answer of another shape.
 */
export const aiChat: WorkingModule<AiChatArgs> = {
  appId: 'ai-chat',
  title: 'AI chat',
  description: 'Asks a language model and gives its answer, with the tokens it took and what it cost.',
  icon: 'sparkles',
  effect: 'effect',
  argsSchema: args,
  outSchema: z.strictObject({
    text: z.string().describe('What the model answered.'),
    tokensIn: z.int().describe('Tokens of the conversation.'),
    tokensOut: z.int().describe('Tokens of the answer.'),
    cost: z.number().nullable().describe('Dollars; null when neither the answer nor the operator says the price.'),
  }),
  examples: [
    {
      title: 'Summarise a ticket',
      args: {
        integrationId: '{{ $blueprint.model }}',
        model: 'gpt-4o-mini',
        messages: [
          { role: 'system', content: 'Summarise in one sentence.' },
          { role: 'user', content: '{{ $prev.args.ticket }}' },
        ],
        temperature: 0,
        maxTokens: 200,
      },
    },
  ],

  async run({ integrationId, model, messages, temperature, maxTokens }, context) {
    const link = await context.connection(integrationId);
    const { body, shown } = await postJson(
      {
        url: `${endpointOf(link)}/chat/completions`,
        link,
        refusal: saidIn,
        body: {
          model,
          messages,
          ...(temperature !== undefined && { temperature }),
          ...(maxTokens !== undefined && { max_tokens: maxTokens }),
        },
      },
      context,
    );
    const { choices, usage } = readAnswer(body);
    const { prompt_tokens: tokensIn = 0, completion_tokens: tokensOut = 0, cost = null } = usage ?? {};
    const dollars = context.accountAi({ provider: link.type, model, tokensIn, tokensOut, cost });
    const text = withoutSecret(choices[0]?.message.content ?? '', shown);
    return { text, tokensIn, tokensOut, cost: dollars };
  },
};

function readAnswer(body: Buffer): z.output<typeof answered> {
  try {
    return answered.parse(parseJson(body));
  } catch (cause) {
    throw new LayerFailure('invalid_output', 'The model answered something that is no chat completion.', undefined, {
      cause,
    });
  }
}
