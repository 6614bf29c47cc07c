/** Chat completions as OpenAI answers them. */
import type { AskedModel, ScriptedAnswer } from './scripted.js';

interface Message {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
}

interface Body {
  readonly model?: string;
  readonly messages?: readonly Message[];
  readonly tools?: readonly {
    readonly type: string;
    readonly function: { readonly name: string; readonly description?: string; readonly parameters: object };
  }[];
  readonly tool_choice?: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
}

/** Why OpenAI refuses such a request; null: it does not. */
export function openaiFault({ model, messages = [], tools = [] }: Body): string | null {
  if (typeof model !== 'string') return 'you must provide a model parameter';
  if (messages.length === 0) return "Invalid 'messages': empty array. Expected an array with minimum length 1.";
  for (const {
    type,
    function: { name, parameters },
  } of tools) {
    if (type !== 'function' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      return `Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
    if ((parameters as { type?: unknown }).type !== 'object')
      return `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`;
  }
  let open = new Set<string>();
  for (const { role, tool_calls: calls, tool_call_id: id } of messages) {
    if (role === 'tool') {
      if (!open.delete(id ?? ''))
        return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
      continue;
    }
    if (open.size > 0)
      return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
    open = new Set(calls?.map((call) => call.id));
  }
  return null;
}

export function askedOfOpenai({ model = '', messages = [], tools = [], tool_choice: choice }: Body): AskedModel {
  const after = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const said = (wanted: string) => messages.find(({ role }) => role === wanted)?.content ?? '';
  return {
    ...{ dialect: 'openai', model, instructions: said('system'), input: said('user') },
    turn: messages.filter(({ role }) => role === 'assistant').length,
    results: messages
      .slice(after)
      .flatMap(({ role, tool_call_id: callId = '', content }) =>
        role === 'tool' ? [{ callId, text: content ?? '' }] : [],
      ),
    tools: tools.map(({ function: { name, description, parameters } }) => ({
      ...{ name, schema: parameters },
      ...(description !== undefined && { description }),
    })),
    mayCall: choice !== 'none',
  };
}

const PIECE_CHARS = 12;

export function openaiEvents(id: string, { model, stream_options: options }: Body, answer: ScriptedAnswer): string[] {
  const base = { id, object: 'chat.completion.chunk', created: 1_700_000_000, model };
  const chunk = (delta: object, reason: string | null = null) =>
    `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] })}\n\n`;
  const { tokensIn, tokensOut } = answer.usage ?? { tokensIn: 10, tokensOut: 5 };
  const usage = { prompt_tokens: tokensIn, completion_tokens: tokensOut, total_tokens: tokensIn + tokensOut };
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...[answer.text ?? []].flat().map((content) => chunk({ content })),
    ...(answer.calls ?? []).flatMap((call, index) => {
      const text = argumentsOf(call.arguments);
      const begin = {
        index,
        id: call.id ?? `${id}_${index}`,
        type: 'function',
        function: { name: call.name, arguments: '' },
      };
      const pieces = text.match(new RegExp(`[^]{1,${PIECE_CHARS}}`, 'g')) ?? [];
      return [
        { tool_calls: [begin] },
        ...pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ].map((delta) => chunk(delta));
    }),
    chunk({}, stopOf(answer)),
    ...(options?.include_usage === true && answer.usage !== null
      ? [`data: ${JSON.stringify({ ...base, choices: [], usage })}\n\n`]
      : []),
    'data: [DONE]\n\n',
  ];
}

export function openaiBroken(message: string): string {
  return `data: ${JSON.stringify({ error: { message, type: 'server_error', code: null } })}\n\n`;
}

export function openaiWhole(id: string, { model }: Body, answer: ScriptedAnswer): object {
  const calls = (answer.calls ?? []).map((call, index) => ({
    ...{ id: call.id ?? `${id}_${index}`, type: 'function' },
    function: { name: call.name, arguments: argumentsOf(call.arguments) },
  }));
  const { tokensIn, tokensOut } = answer.usage ?? { tokensIn: 10, tokensOut: 5 };
  const content = answer.text === undefined ? null : [answer.text].flat().join('');
  const message = { role: 'assistant', content, refusal: null, ...(calls.length > 0 && { tool_calls: calls }) };
  return {
    ...{ id, object: 'chat.completion', created: 1_700_000_000, model },
    choices: [{ index: 0, message, logprobs: null, finish_reason: stopOf(answer) }],
    ...(answer.usage !== null && {
      usage: { prompt_tokens: tokensIn, completion_tokens: tokensOut, total_tokens: tokensIn + tokensOut },
    }),
  };
}

export function openaiError(status: number, message: string): object {
  const type = status === 429 ? 'rate_limit_exceeded' : status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type, param: null, code: null } };
}

function stopOf({ stop, calls }: ScriptedAnswer): string {
  return stop ?? (calls && calls.length > 0 ? 'tool_calls' : 'stop');
}

function argumentsOf(given: object | string): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}
