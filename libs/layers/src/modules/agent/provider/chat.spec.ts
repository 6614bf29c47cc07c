import { createEgressClient, type EgressClient } from '@weft/egress';
import { modelProvider, type ModelProvider, type ScriptedAnswer } from '@weft/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { layerContext } from '../../../layer-context.fixture.js';
import { LayerFailure, type Connection } from '../../../layer-module.js';
import { peerOf } from '../../../call/peer-answer.js';
import { chatOf } from './chat.js';
import type { ChatAnswer, ChatContext, ChatRequest } from './port.js';

const SECRET = 'sk-a-secret-of-the-link';
const http = createEgressClient({ allow: [{ cidr: '127.0.0.1/32', port: null }] });
let provider: ModelProvider;
beforeAll(async () => {
  provider = await modelProvider();
});
afterAll(async () => {
  await provider.close();
  await http.close();
});
beforeEach(() => provider.answerWith({ text: 'Done.' }));
afterEach(() => void vi.useRealTimers());

const TOOL = { name: 'find', description: 'Finds.', schema: { type: 'object', properties: { q: { type: 'string' } } } };
const REQUEST: ChatRequest = {
  ...{ model: 'small', instructions: 'Be kind.', maxTokens: 100, mayCall: true, tools: [TOOL] },
  messages: [{ role: 'user', text: 'Find {{ $blueprint.it }}.' }],
};

describe.each(['openai', 'anthropic'] as const)('a model of %s', (dialect) => {
  const link = (): Connection => ({
    ...{ type: dialect, endpoint: provider.url, secret: SECRET },
    ...(dialect === 'anthropic' && { kind: 'header', settings: { header: 'x-api-key' } }),
  });
  const deltas: string[] = [];
  const ask = (request: Partial<ChatRequest> = {}, part: Partial<ChatContext> = {}): Promise<ChatAnswer> => {
    deltas.length = 0;
    const context = { ...layerContext({ http }), link: link(), ...part };
    return chatOf(dialect)({ ...REQUEST, ...request }, (text) => deltas.push(text), context);
  };
  const failure = async (...given: Parameters<typeof ask>): Promise<LayerFailure> => {
    const error: unknown = await ask(...given).catch((reason: unknown) => reason);
    if (error instanceof LayerFailure) return error;
    throw error instanceof Error ? error : new Error('it did not fail');
  };
  const failing = (answer: ScriptedAnswer, part: Partial<ChatContext> = {}) => {
    provider.answerWith(answer);
    return failure({}, part);
  };

  it('gives its words as they arrive, with its tokens', async () => {
    provider.answerWith({ text: ['Hel', 'lo ', 'there.'], usage: { tokensIn: 33, tokensOut: 4 } });
    const message = { role: 'assistant', text: 'Hello there.', calls: [] };
    expect(await ask()).toEqual({ message, stop: 'end', usage: { tokensIn: 33, tokensOut: 4, cost: null } });
    expect(deltas).toEqual(['Hel', 'lo ', 'there.']);
    const request = provider.requests.at(-1);
    expect(request).toMatchObject({
      ...{ dialect, model: 'small', instructions: 'Be kind.', mayCall: true, tools: [TOOL] },
      input: 'Find {{ $blueprint.it }}.',
    });
    expect(request?.headers['idempotency-key']).toBe('play.0');
  });

  it('gives the calls that it asks for, and sends their results in the order of the calls', async () => {
    const calls = [
      { name: 'find', arguments: { q: 'a "quoted" word', n: 1 } },
      { name: 'find', arguments: {} },
    ];
    provider.answerWith({ text: 'Wait.', calls });
    const { message, stop } = await ask();
    expect(stop).toBe('calls');
    expect(message.calls.map((call) => [call.name, JSON.parse(call.arguments) as unknown])).toEqual(
      calls.map((call) => [call.name, call.arguments]),
    );
    provider.answerWith({ text: 'Found.' });
    const results = message.calls.map(({ id }, i) => ({ callId: id, text: `result ${i}`, isError: i === 1 }));
    const messages = [...REQUEST.messages, message, { role: 'tools' as const, results }];
    await ask({ messages: [...messages, { role: 'user', text: 'Answer now.' }], mayCall: false });
    expect(provider.requests.at(-1)).toMatchObject({
      ...{ turn: 1, mayCall: false },
      results: results.map(({ callId, text }) => ({ callId, text })),
    });
  });

  it('gives arguments that are not JSON as they are, and sends none of them back', async () => {
    provider.answerWith({ calls: [{ name: 'find', arguments: '{"q": "cut' }] });
    const { message } = await ask();
    expect(message.calls[0]?.arguments).toBe('{"q": "cut');
    provider.answerWith({ text: 'Again.' });
    const results = [{ callId: message.calls[0]?.id ?? '', text: 'that is not JSON', isError: true }];
    await ask({ messages: [...REQUEST.messages, message, { role: 'tools', results }] });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).not.toContain('cut');
  });

  it('says when to ask again, and why it was refused', async () => {
    const refusal = { status: 429, message: 'Too many requests.', headers: { 'retry-after': '3' } };
    const failed = await failing({ refusal });
    expect(failed).toMatchObject({
      code: 'bad_status',
      message: expect.stringMatching(/ 429: Too many requests\.$/) as string,
    });
    expect(peerOf(failed, 0)).toEqual({ statusCode: 429, retryAfterMs: 3_000 });
  });

  it('says that a conversation is too long', async () => {
    const message = "This model's maximum context length is 8192 tokens.";
    expect(await failing({ refusal: { status: 400, message } })).toMatchObject({ code: 'context_full' });
  });

  it.each([
    ['the connection is cut', { cutAfter: 4 }, 'connect_failed'],
    ['the provider breaks it off', { breakAfter: 4 }, 'connect_failed'],
    ['an event is not JSON', { raw: 'data: {"choices": [\n\n' }, 'invalid_output'],
    ['it is of something else', { raw: 'data: [1]\n\n' }, 'invalid_output'],
    ['it stops for an unknown reason', { stop: 'moonrise' }, 'invalid_output'],
    [
      'it stops for calls that it does not have',
      { stop: { openai: 'tool_calls', anthropic: 'tool_use' }[dialect] },
      'invalid_output',
    ],
    ['it ends without a word', { raw: ': nothing\n\n' }, 'connect_failed'],
    ['an event has no end', { raw: `data: ${'x'.repeat(2_200_000)}` }, 'invalid_output'],
    [
      'it asks for too many calls',
      { calls: Array.from({ length: 65 }, () => ({ name: 'find', arguments: {} })) },
      'output_too_large',
    ],
    ['its text is too long', { text: Array.from({ length: 11 }, () => 'x'.repeat(100_000)) }, 'output_too_large'],
  ] as const)('fails when %s', async (_what, answer, code) => {
    expect(await failing({ text: ['One ', 'two ', 'three'], ...answer })).toMatchObject({ code });
  });

  it('fails when nothing arrives for a while', async () => {
    const failed = await failing({ text: ['One ', 'two'], hangAfter: 4 }, { idleMs: 100 });
    expect(failed).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('has sent nothing for 0.1 s') as string,
    });
  });

  it('goes on as long as something arrives', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const idleMs = 1_000;
    let passedMs = 0;
    const slow: EgressClient['request'] = async (request) => {
      const response = await http.request(request);
      const chunks: Buffer[] = [];
      for await (const chunk of response.stream ?? []) chunks.push(chunk);
      const whole = Buffer.concat(chunks);
      const stream = (async function* () {
        for (let at = 0; at < whole.byteLength; at += 100) {
          vi.advanceTimersByTime(idleMs - 1);
          passedMs += idleMs - 1;
          request.signal?.throwIfAborted();
          yield whole.subarray(at, at + 100);
        }
      })();
      return { ...response, stream };
    };
    const { message } = await ask({}, { idleMs, http: { ...http, request: slow } });
    expect(message.text).toBe('Done.');
    expect(passedMs).toBeGreaterThan(2 * idleMs);
  });

  it('ends with its layer', async () => {
    provider.answerWith({ text: ['One ', 'two'], hangAfter: 4 });
    const ended = new AbortController();
    const reason = new LayerFailure('cancelled', 'The play does not go on here.');
    const context = { ...layerContext({ http, signal: ended.signal }), link: link() };
    const asked = chatOf(dialect)(REQUEST, () => ended.abort(reason), context);
    await expect(asked).rejects.toBe(reason);
  });

  it('counts four characters as a token where the provider does not say them', async () => {
    provider.answerWith({ text: 'Twelve chars', usage: null });
    const { usage } = await ask();
    expect(usage).toMatchObject({ tokensOut: 3, cost: null });
    expect(usage.tokensIn).toBe(Math.ceil(JSON.stringify(provider.requests.at(-1)?.body).length / 4));
  });

  it.each([
    ['length', { openai: 'length', anthropic: 'max_tokens' }],
    ['refused', { openai: 'content_filter', anthropic: 'refusal' }],
  ] as const)('says that it stopped: %s', async (stop, words) => {
    provider.answerWith({ text: 'Half an ans', stop: words[dialect] });
    expect(await ask()).toMatchObject({ stop, message: { text: 'Half an ans' } });
  });

  it('shows nothing of the secret, though the model says it back in pieces', async () => {
    provider.answerWith({
      text: ['It is ', 'sk-a-sec', 'ret-of-', 'the-link.', ' Or sk-a-sec'],
      calls: [{ name: 'find', arguments: { q: SECRET } }],
    });
    const { message } = await ask();
    expect(message.text).toBe('It is [secret]. Or sk-a-sec');
    expect(deltas.join('')).toBe('It is [secret]. Or ');
    expect(message.calls[0]?.arguments).toBe('{"q":"[secret]"}');
    provider.answerWith({ calls: [{ name: SECRET, arguments: {} }] });
    expect((await ask()).message.calls[0]?.name).toBe('[secret]');
    expect(await failing({ refusal: { status: 401, message: `Wrong key ${SECRET}.` } })).toMatchObject({
      message: expect.stringContaining('Wrong key [secret].') as string,
    });
  });

  it('shows nothing of the secret when its answer breaks off', async () => {
    const error = { type: 'error', error: { type: 'api_error', message: `${'x'.repeat(491)} ${SECRET} is wrong` } };
    const failed = await failing({ raw: `data: ${JSON.stringify(error)}\n\n` });
    expect(failed.message).toMatch(/broke off its answer: x{491} \[secret\]$/);
    expect((await failing({ text: 'One', stop: `stopped by ${SECRET}` })).message).toContain('"stopped by [secret]"');
  });
});

it('refuses an answer that is not a stream of events', async () => {
  const body = Buffer.from('{"choices": []}');
  const given = {
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body,
    url: 'http://models.weft.test/',
  };
  const context = {
    ...layerContext({ http: { request: async () => given, close: async () => undefined } }),
    link: { type: 'openai', endpoint: 'http://models.weft.test', secret: SECRET },
  };
  const asked = chatOf('openai')(REQUEST, () => undefined, context);
  await expect(asked).rejects.toMatchObject({
    code: 'invalid_output',
    message: expect.stringContaining('stream of events') as string,
  });
});
