/** Messages as Anthropic answers them. */
import type { AskedModel, ScriptedAnswer } from './scripted.js';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly content?: unknown;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

interface Body {
  readonly model?: string;
  readonly system?: string;
  readonly messages?: readonly Message[];
  readonly max_tokens?: number;
  readonly tools?: readonly { readonly name: string; readonly description?: string; readonly input_schema: object }[];
  readonly tool_choice?: { readonly type: string };
  readonly stream?: boolean;
}

/** Why Anthropic refuses such a request; null: it does not. */
export function anthropicFault({ model, messages = [], max_tokens: most, tools = [] }: Body): string | null {
  if (typeof model !== 'string') return 'model: Field required';
  if (typeof most !== 'number' || most < 1) return 'max_tokens: Field required';
  if (messages.length === 0) return 'messages: at least one message is required';
  for (const [i, { name, input_schema: schema }] of tools.entries()) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      return `tools.${i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    if ((schema as { type?: unknown }).type !== 'object') return `tools.${i}.custom.input_schema.type: Field required`;
  }
  let open = new Set<string>();
  for (const [i, { role, content }] of messages.entries()) {
    if (role !== (i % 2 === 0 ? 'user' : 'assistant'))
      return 'messages: roles must alternate between "user" and "assistant"';
    const blocks = blocksOf(content);
    if (blocks.length === 0) return `messages.${i}: all messages must have non-empty content`;
    if (blocks.some(({ type, text }) => type === 'text' && text === ''))
      return `messages.${i}: text content blocks must be non-empty`;
    for (const { type, tool_use_id: id = '' } of blocks)
      if (type === 'tool_result' && !open.delete(id))
        return `messages.${i}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}.`;
    if (open.size > 0)
      return `messages.${i - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...open].join(', ')}.`;
    const uses = blocks.filter(({ type }) => type === 'tool_use');
    if (uses.length > 0 && tools.length === 0) return 'tools: Field required when tool_use blocks are present';
    open = new Set(uses.map(({ id = '' }) => id));
  }
  return null;
}

export function askedOfAnthropic({
  model = '',
  system = '',
  messages = [],
  tools = [],
  tool_choice: choice,
}: Body): AskedModel {
  const last = messages.at(-1);
  const [first] = messages;
  return {
    ...{ dialect: 'anthropic', model, instructions: system },
    input: first ? (blocksOf(first.content)[0]?.text ?? '') : '',
    turn: messages.filter(({ role }) => role === 'assistant').length,
    results: blocksOf(last?.content ?? []).flatMap(({ type, tool_use_id: callId = '', content }) =>
      type === 'tool_result' ? [{ callId, text: typeof content === 'string' ? content : JSON.stringify(content) }] : [],
    ),
    tools: tools.map(({ name, description, input_schema: schema }) => ({
      ...{ name, schema },
      ...(description !== undefined && { description }),
    })),
    mayCall: choice?.type !== 'none',
  };
}

const PIECE_CHARS = 12;

export function anthropicEvents(id: string, { model }: Body, answer: ScriptedAnswer): string[] {
  const { tokensIn, tokensOut } = answer.usage ?? { tokensIn: 10, tokensOut: 5 };
  const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const texts = [answer.text ?? []].flat();
  const at = texts.length > 0 ? 1 : 0;
  const block = (index: number, content: object, deltas: readonly object[]) => [
    event('content_block_start', { index, content_block: content }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ];
  return [
    event('message_start', {
      message: {
        ...{ id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null },
        ...(answer.usage !== null && { usage: { input_tokens: tokensIn, output_tokens: 1 } }),
      },
    }),
    event('ping', {}),
    ...(texts.length > 0
      ? block(
          0,
          { type: 'text', text: '' },
          texts.map((text) => ({ type: 'text_delta', text })),
        )
      : []),
    ...(answer.calls ?? []).flatMap((call, i) => {
      const text = argumentsOf(call.arguments);
      const pieces = text.match(new RegExp(`[^]{1,${PIECE_CHARS}}`, 'g')) ?? [];
      const use = { type: 'tool_use', id: call.id ?? `${id}_${i}`, name: call.name, input: {} };
      return block(
        at + i,
        use,
        ['', ...pieces].map((json) => ({ type: 'input_json_delta', partial_json: json })),
      );
    }),
    event('message_delta', {
      delta: { stop_reason: stopOf(answer), stop_sequence: null },
      ...(answer.usage !== null && { usage: { output_tokens: tokensOut } }),
    }),
    event('message_stop', {}),
  ];
}

export function anthropicBroken(message: string): string {
  const error = { type: 'error', error: { type: 'overloaded_error', message } };
  return `event: error\ndata: ${JSON.stringify(error)}\n\n`;
}

export function anthropicWhole(id: string, { model }: Body, answer: ScriptedAnswer): object {
  const { tokensIn, tokensOut } = answer.usage ?? { tokensIn: 10, tokensOut: 5 };
  return {
    ...{ id, type: 'message', role: 'assistant', model },
    content: [
      ...(answer.text === undefined ? [] : [{ type: 'text', text: [answer.text].flat().join('') }]),
      ...(answer.calls ?? []).map((call, i) => ({
        ...{ type: 'tool_use', id: call.id ?? `${id}_${i}`, name: call.name },
        input: JSON.parse(argumentsOf(call.arguments)) as unknown,
      })),
    ],
    ...{ stop_reason: stopOf(answer), stop_sequence: null },
    usage: { input_tokens: tokensIn, output_tokens: tokensOut },
  };
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export function anthropicError(status: number, message: string): object {
  const type = TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { type, message } };
}

function stopOf({ stop, calls }: ScriptedAnswer): string {
  return stop ?? (calls && calls.length > 0 ? 'tool_use' : 'end_turn');
}

function argumentsOf(given: object | string): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

function blocksOf(content: Message['content']): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
