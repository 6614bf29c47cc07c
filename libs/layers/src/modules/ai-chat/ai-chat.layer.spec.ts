import type { EgressRequest } from '@weft/egress';
import { describe, expect, it } from 'vitest';
import { layerContext } from '../../layer-context.fixture.js';
import type { AiUsage, Connection } from '../../layer-module.js';
import { aiChat } from './ai-chat.layer.js';

const ARGS = { integrationId: 'model', model: 'small', messages: [{ role: 'user', content: 'Hi' }] };
const ANSWER = {
  choices: [{ message: { role: 'assistant', content: 'Hello.' } }],
  usage: { prompt_tokens: 12, completion_tokens: 3 },
};
const LINK: Connection = { type: 'openai', endpoint: 'https://models.weft.test/v1/', secret: 'sk-secret' };

async function answered(answer: unknown, args: object = {}, part: Partial<Connection> = {}, statusCode = 200) {
  const asked: EgressRequest[] = [];
  const used: AiUsage[] = [];
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const http = {
    request: async (request: EgressRequest) => {
      asked.push(request);
      return { statusCode, headers: {}, body: Buffer.from(text), url: request.url };
    },
    close: async () => undefined,
  };
  const accountAi = (use: AiUsage) => {
    used.push(use);
    return use.cost ?? 0.5;
  };
  const connection = async () => ({ ...LINK, ...part });
  const context = layerContext({ http, connection, accountAi });
  const out = await aiChat.run(aiChat.argsSchema.parse({ ...ARGS, ...args }), context);
  return { out, request: asked[0], used };
}

describe('ai-chat', () => {
  it('asks the model of its link, and gives its words, tokens and cost', async () => {
    const { out, request, used } = await answered(ANSWER, { temperature: 0, maxTokens: 9 });
    expect(request).toMatchObject({ method: 'POST', url: 'https://models.weft.test/v1/chat/completions' });
    expect(request?.headers).toMatchObject({ Authorization: 'Bearer sk-secret' });
    const body = { model: 'small', messages: ARGS.messages, temperature: 0, max_tokens: 9 };
    expect(request?.body).toBe(JSON.stringify(body));
    expect(out).toEqual({ text: 'Hello.', tokensIn: 12, tokensOut: 3, cost: 0.5 });
    expect(used).toEqual([{ provider: 'openai', model: 'small', tokensIn: 12, tokensOut: 3, cost: null }]);
  });

  it('takes the cost that the answer says', async () => {
    const { out } = await answered({ ...ANSWER, usage: { ...ANSWER.usage, cost: 0.125 } });
    expect(out.cost).toBe(0.125);
  });

  it.each([
    ['no usage', { choices: ANSWER.choices }],
    ['usage of another shape', { ...ANSWER, usage: { prompt_tokens: 'many', completion_tokens: -1, cost: 'free' } }],
  ])('counts nothing for %s', async (_what, answer) => {
    expect((await answered(answer)).out).toMatchObject({ text: 'Hello.', tokensIn: 0, tokensOut: 0 });
  });

  it('shows nothing of the key, though the model says it back', async () => {
    const { out } = await answered({ choices: [{ message: { content: 'You sent sk-secret.' } }] });
    expect(out.text).toBe('You sent [secret].');
  });

  it.each(['<html>', '{}', '[]', { choices: [] }])('fails with invalid_output for %j', async (answer) => {
    await expect(answered(answer)).rejects.toMatchObject({ code: 'invalid_output' });
  });

  it('fails with bad_status when the provider refuses', async () => {
    const refused = { code: 'bad_status', message: 'models.weft.test answered 401' };
    await expect(answered(ANSWER, {}, {}, 401)).rejects.toMatchObject(refused);
  });

  it('knows where OpenAI is, and nobody else', async () => {
    const { request } = await answered(ANSWER, {}, { endpoint: null });
    expect(request?.url).toBe('https://api.openai.com/v1/chat/completions');
    const unusable = { code: 'integration_unusable' };
    await expect(answered(ANSWER, {}, { endpoint: null, type: 'local' })).rejects.toMatchObject(unusable);
    await expect(answered(ANSWER, {}, { endpoint: 'smtp://mail.weft.test' })).rejects.toMatchObject(unusable);
  });
});
