/** Chat completions, as OpenAI and the servers that copy them speak it. */
import { parseJson } from '@weft/kernel';
import { z } from 'zod';
import { endpointOf } from '../../ai-chat/endpoint.js';
import type { AnswerBuilder } from './answer-builder.js';
import { argumentsIn, type Dialect } from './dialect.js';
import { brokenOff } from './broken-off.js';
import type { ChatMessage, ChatStop } from './port.js';

const count = z.int().min(0).nullish().catch(null);
const piece = z.looseObject({
  index: z.int().min(0).nullish(),
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});
/** The part of an event that is read; providers add fields. */
const event = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z
          .looseObject({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            tool_calls: z.array(piece).nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z
    .looseObject({ prompt_tokens: count, completion_tokens: count, cost: z.number().min(0).nullish().catch(null) })
    .nullish(),
  error: z.unknown().optional(),
});

const STOPS: Readonly<Record<string, ChatStop>> = {
  ...{ stop: 'end', eos: 'end', end_turn: 'end', tool_calls: 'calls', function_call: 'calls' },
  ...{ length: 'length', content_filter: 'refused' },
};

export const openai: Dialect = {
  urlOf: (link) => `${endpointOf(link)}/chat/completions`,
  mayEndEarly: true,

  bodyOf: ({ model, instructions, messages, tools, mayCall, temperature, maxTokens }) => ({
    model,
    messages: [{ role: 'system', content: instructions }, ...messages.flatMap(written)],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema }) => ({
        type: 'function',
        function: { name, description, parameters: schema },
      })),
      ...(!mayCall && { tool_choice: 'none' }),
    }),
    ...(temperature !== undefined && { temperature }),
    max_completion_tokens: maxTokens,
    stream: true,
    stream_options: { include_usage: true },
  }),

  read(data, answer) {
    if (data.trim() === '[DONE]') return true;
    const { choices, usage, error } = parsed(data, answer);
    if (error !== undefined && error !== null) throw brokenOff(answer, data);
    if (usage) {
      answer.tokensIn = usage.prompt_tokens ?? null;
      answer.tokensOut = usage.completion_tokens ?? null;
      answer.cost = usage.cost ?? null;
    }
    const [choice] = choices ?? [];
    const { content, refusal, tool_calls: calls } = choice?.delta ?? {};
    answer.addText(content ?? '');
    answer.addText(refusal ?? '');
    // Gemini leaves the index out: each of its calls is whole
    for (const [i, each] of (calls ?? []).entries())
      answer.addToCall(each.index ?? i, { id: each.id, ...each.function });
    const reason = choice?.finish_reason;
    if (reason !== undefined && reason !== null && reason !== '') answer.stop = stopOf(reason, answer);
    if (typeof refusal === 'string' && refusal !== '') answer.stop = 'refused';
    return false;
  },
};

function parsed(data: string, answer: AnswerBuilder): z.output<typeof event> {
  try {
    return event.parse(parseJson(data));
  } catch {
    throw answer.invalid('has an event that is not one of chat completions');
  }
}

function stopOf(reason: string, answer: AnswerBuilder): ChatStop {
  if (answer.stop === 'refused') return 'refused';
  const stop = Object.hasOwn(STOPS, reason) ? STOPS[reason] : undefined;
  if (!stop) throw answer.invalid(`stopped for a reason that is not known here: "${answer.quoted(reason, 100)}"`);
  return stop;
}

function written(message: ChatMessage): readonly object[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.text }];
    case 'assistant': {
      const calls = message.calls.map(({ id, name, arguments: text }) => ({
        ...{ id, type: 'function' },
        // servers that parse them refuse a conversation with others
        function: { name, arguments: argumentsIn(text) ? text : '{}' },
      }));
      const content = message.text === '' && calls.length > 0 ? null : message.text;
      return [{ role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }];
    }
    case 'tools':
      return message.results.map(({ callId, text }) => ({ role: 'tool', tool_call_id: callId, content: text }));
  }
}
