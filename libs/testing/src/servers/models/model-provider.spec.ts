/** The fake is faithful: the providers' own SDKs take it for their service. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelProvider, type ModelProvider } from './model-provider.js';

let provider: ModelProvider;
beforeAll(async () => {
  provider = await modelProvider();
});
afterAll(() => provider.close());

const SCHEMA = { type: 'object' as const, properties: { city: { type: 'string' } } };
const TWO_CALLS = {
  text: ['Let me ', 'look.'],
  calls: [
    { name: 'weather', arguments: { city: 'Bern', note: 'a "long" argument in many pieces' } },
    { name: 'weather', arguments: { city: 'Zürich' } },
  ],
  usage: { tokensIn: 21, tokensOut: 8 },
};

describe('for the SDK of OpenAI', () => {
  const client = (maxRetries = 0) => new OpenAI({ apiKey: 'key', baseURL: provider.url, maxRetries });
  const request = {
    model: 'small',
    messages: [
      { role: 'system' as const, content: 'Be kind.' },
      { role: 'user' as const, content: 'How is it?' },
    ],
    tools: [{ type: 'function' as const, function: { name: 'weather', description: 'Asks.', parameters: SCHEMA } }],
  };

  it('streams text and parallel calls, and takes the results', async () => {
    provider.answerWith([TWO_CALLS, { text: 'Sunny.' }]);
    const stream = client().chat.completions.stream({ ...request, stream_options: { include_usage: true } });
    const texts: string[] = [];
    stream.on('content', (delta) => texts.push(delta));
    const first = await stream.finalChatCompletion();
    expect(texts.filter((text) => text !== '')).toEqual(['Let me ', 'look.']);
    expect(first.usage).toMatchObject({ prompt_tokens: 21, completion_tokens: 8 });
    const [choice] = first.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const calls = (choice?.message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []));
    expect(calls.map((call) => JSON.parse(call.function.arguments) as unknown)).toEqual(
      TWO_CALLS.calls.map((call) => call.arguments),
    );
    const second = await client().chat.completions.create({
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: null, tool_calls: calls },
        ...calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'sun' })),
      ],
    });
    expect(second.choices[0]?.message.content).toBe('Sunny.');
    expect(provider.requests.at(-1)).toMatchObject({
      ...{ instructions: 'Be kind.', input: 'How is it?', turn: 1, mayCall: true },
      results: [{ text: 'sun' }, { text: 'sun' }],
      tools: [{ name: 'weather', schema: SCHEMA }],
    });
  });

  it('refuses a conversation in which a call has no result', async () => {
    const call = { id: 'c', type: 'function' as const, function: { name: 'weather', arguments: '{}' } };
    const messages = [...request.messages, { role: 'assistant' as const, content: null, tool_calls: [call] }];
    const open = client().chat.completions.create({
      ...request,
      messages: [...messages, request.messages[1]] as never,
    });
    await expect(open).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('must be followed by') as string,
    });
  });

  it('is asked again after Retry-After', async () => {
    const before = provider.requests.length;
    const refusal = { status: 429, message: 'Slow down.', headers: { 'retry-after-ms': '1' } };
    provider.answerWith(() => (provider.requests.length === before + 1 ? { refusal } : { text: 'Now.' }));
    const { choices } = await client(1).chat.completions.create(request);
    expect(choices[0]?.message.content).toBe('Now.');
    provider.answerWith({ refusal });
    await expect(client().chat.completions.create(request)).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  });

  it.each(['cutAfter', 'breakAfter'] as const)('ends in the middle of an answer: %s', async (how) => {
    provider.answerWith({ text: ['One ', 'two ', 'three'], [how]: 2 });
    await expect(client().chat.completions.stream(request).finalChatCompletion()).rejects.toThrow();
  });
});

describe('for the SDK of Anthropic', () => {
  const client = (maxRetries = 0) =>
    new Anthropic({ apiKey: 'key', baseURL: provider.url.replace(/\/v1$/, ''), maxRetries });
  const request = {
    model: 'small',
    max_tokens: 100,
    system: 'Be kind.',
    messages: [{ role: 'user' as const, content: 'How is it?' }],
    tools: [{ name: 'weather', description: 'Asks.', input_schema: SCHEMA }],
  };

  it('streams text and parallel calls, and takes the results', async () => {
    provider.answerWith([TWO_CALLS, { text: 'Sunny.' }]);
    const stream = client().messages.stream(request);
    const texts: string[] = [];
    stream.on('text', (delta) => texts.push(delta));
    const first = await stream.finalMessage();
    expect(texts).toEqual(['Let me ', 'look.']);
    expect(first).toMatchObject({ stop_reason: 'tool_use', usage: { input_tokens: 21, output_tokens: 8 } });
    const uses = first.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    expect(uses.map(({ input }) => input)).toEqual(TWO_CALLS.calls.map((call) => call.arguments));
    const second = await client().messages.create({
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: uses.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'sun' })),
        },
      ],
    });
    expect(second.content).toMatchObject([{ type: 'text', text: 'Sunny.' }]);
    expect(provider.requests.at(-1)).toMatchObject({
      ...{ instructions: 'Be kind.', input: 'How is it?', turn: 1, mayCall: true },
      results: [{ text: 'sun' }, { text: 'sun' }],
    });
  });

  it('refuses a conversation in which a call has no result', async () => {
    const content = [{ type: 'tool_use' as const, id: 'c', name: 'weather', input: {} }];
    const messages = [...request.messages, { role: 'assistant' as const, content }, ...request.messages];
    const open = client().messages.create({ ...request, messages });
    await expect(open).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('without `tool_result`') as string,
    });
  });

  it('says that it is overloaded, and when to ask again', async () => {
    provider.answerWith({ refusal: { status: 529, message: 'Overloaded', headers: { 'retry-after': '7' } } });
    const error: unknown = await client()
      .messages.create(request)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Anthropic.InternalServerError);
    expect(error).toMatchObject({ status: 529, error: { error: { type: 'overloaded_error' } } });
    expect((error as InstanceType<typeof Anthropic.APIError>).headers?.get('retry-after')).toBe('7');
  });

  it.each(['cutAfter', 'breakAfter'] as const)('ends in the middle of an answer: %s', async (how) => {
    provider.answerWith({ text: ['One ', 'two ', 'three'], [how]: 4 });
    await expect(client().messages.stream(request).finalMessage()).rejects.toThrow();
  });
});

it('refuses a request without a key', async () => {
  const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hi' }] });
  const { status } = await fetch(`${provider.url}/chat/completions`, { method: 'POST', body });
  expect(status).toBe(401);
});
