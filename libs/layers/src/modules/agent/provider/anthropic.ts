/** The messages of Anthropic. */
import { parseJson } from '@weft/kernel';
import { z } from 'zod';
import { endpointOf } from '../../ai-chat/endpoint.js';
import type { AnswerBuilder } from './answer-builder.js';
import { brokenOff } from './broken-off.js';
import { argumentsIn, type Dialect } from './dialect.js';
import type { ChatMessage, ChatStop } from './port.js';

const count = z.int().min(0).nullish().catch(null);
const index = z.int().min(0);
const usage = z
  .looseObject({
    ...{ input_tokens: count, output_tokens: count },
    ...{ cache_creation_input_tokens: count, cache_read_input_tokens: count },
  })
  .nullish();

const event = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message_start'), message: z.looseObject({ usage }) }),
  z.looseObject({
    type: z.literal('content_block_start'),
    index,
    content_block: z.looseObject({
      type: z.string(),
      ...{ id: z.string().optional(), name: z.string().optional(), text: z.string().optional() },
    }),
  }),
  z.looseObject({
    type: z.literal('content_block_delta'),
    index,
    delta: z.looseObject({ type: z.string(), text: z.string().optional(), partial_json: z.string().optional() }),
  }),
  z.looseObject({
    type: z.literal('message_delta'),
    delta: z.looseObject({ stop_reason: z.string().nullish() }),
    usage,
  }),
  z.looseObject({ type: z.literal('message_stop') }),
  z.looseObject({ type: z.literal('error') }),
]);
const KNOWN = new Set<unknown>(event.options.flatMap((option) => [...option.shape.type.values]));

const STOPS: Readonly<Record<string, ChatStop>> = {
  ...{ end_turn: 'end', stop_sequence: 'end', tool_use: 'calls', max_tokens: 'length' },
  ...{ refusal: 'refused', model_context_window_exceeded: 'context_full' },
};

export const anthropic: Dialect = {
  urlOf: (link) => `${endpointOf(link).replace(/\/v1$/, '')}/v1/messages`,
  headers: { 'anthropic-version': '2023-06-01' },

  bodyOf: ({ model, instructions, messages, tools, mayCall, temperature, maxTokens }) => ({
    ...{ model, system: instructions, messages: alternating(messages) },
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
      ...(!mayCall && { tool_choice: { type: 'none' } }),
    }),
    ...(temperature !== undefined && { temperature }),
    max_tokens: maxTokens,
    stream: true,
  }),

  read(data, answer) {
    const found = parsed(data, answer);
    switch (found?.type) {
      case 'message_start': {
        const {
          input_tokens: tokens,
          cache_creation_input_tokens: written,
          cache_read_input_tokens: read,
        } = found.message.usage ?? {};
        if (tokens !== undefined && tokens !== null) answer.tokensIn = tokens + (written ?? 0) + (read ?? 0);
        break;
      }
      case 'content_block_start': {
        const { type, id, name, text } = found.content_block;
        if (type === 'text') answer.addText(text ?? '');
        if (type === 'tool_use') answer.addToCall(found.index, { id, name });
        break;
      }
      case 'content_block_delta': {
        const { type, text, partial_json: json } = found.delta;
        if (type === 'text_delta') answer.addText(text ?? '');
        if (type === 'input_json_delta') answer.addToCall(found.index, { arguments: json });
        break;
      }
      case 'message_delta': {
        const { stop_reason: reason } = found.delta;
        if (reason !== undefined && reason !== null) answer.stop = stopOf(reason, answer);
        answer.tokensOut = found.usage?.output_tokens ?? answer.tokensOut;
        break;
      }
      case 'message_stop':
        return true;
      case 'error':
        throw brokenOff(answer, data);
      case undefined:
        break;
    }
    return false;
  },
};

/** Undefined: an event that tells nothing, such as a ping, and whatever is added later. */
function parsed(data: string, answer: AnswerBuilder): z.output<typeof event> | undefined {
  try {
    const value = z.looseObject({ type: z.string() }).parse(parseJson(data));
    return KNOWN.has(value.type) ? event.parse(value) : undefined;
  } catch {
    throw answer.invalid('has an event that is not one of the messages of Anthropic');
  }
}

function stopOf(reason: string, answer: AnswerBuilder): ChatStop {
  const stop = Object.hasOwn(STOPS, reason) ? STOPS[reason] : undefined;
  if (!stop) throw answer.invalid(`stopped for a reason that is not known here: "${answer.quoted(reason, 100)}"`);
  return stop;
}

interface Written {
  readonly role: 'user' | 'assistant';
  readonly content: readonly object[];
}

/** One message of the user where several follow each other, as results and what is said after them do. */
function alternating(messages: readonly ChatMessage[]): readonly Written[] {
  return messages.map(written).reduce<Written[]>((all, message) => {
    const last = all.at(-1);
    if (last?.role !== message.role) return [...all, message];
    return all.with(-1, { ...last, content: [...last.content, ...message.content] });
  }, []);
}

function written(message: ChatMessage): Written {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] };
    case 'assistant': {
      const calls = message.calls.map(({ id, name, arguments: text }) => {
        return { type: 'tool_use', id, name, input: argumentsIn(text) ?? {} };
      });
      // an empty text is refused
      const said = message.text === '' ? [] : [{ type: 'text', text: message.text }];
      return { role: 'assistant', content: [...said, ...calls] };
    }
    case 'tools':
      return {
        role: 'user',
        content: message.results.map(({ callId, text, isError }) => {
          return { type: 'tool_result', tool_use_id: callId, content: text, ...(isError && { is_error: true }) };
        }),
      };
  }
}
