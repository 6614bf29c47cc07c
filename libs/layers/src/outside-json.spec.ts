import type { EgressRequest } from '@weft/egress';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { aiChat } from './modules/ai-chat/ai-chat.layer.js';
import { checkConnection } from './check-connection.js';
import { layerContext } from './layer-context.fixture.js';
import type { Connection } from './layer-module.js';
import { readBody } from './modules/web-request/read-body.js';

afterEach(() => vi.restoreAllMocks());

const LINK: Connection = { type: 'openai', endpoint: 'https://models.weft.test/v1', secret: 'sk-secret' };

function httpWith(body: Buffer) {
  const request = async ({ url }: EgressRequest) => ({ statusCode: 200, headers: {}, body, url });
  return { request, close: async () => undefined };
}

async function chat(body: Buffer): Promise<unknown> {
  const args = { integrationId: 'model', model: 'small', messages: [{ role: 'user', content: 'Hi' }] };
  const context = layerContext({ http: httpWith(body), connection: async () => LINK });
  try {
    return await aiChat.run(aiChat.argsSchema.parse(args), context);
  } catch (error) {
    return error;
  }
}

const check = (body: Buffer) => checkConnection(LINK, { http: httpWith(body), sockets: { dial: vi.fn() } });

describe('JSON of a peer that is nested too deep', () => {
  it.each<[string, number, (body: Buffer) => unknown, object]>([
    ['a model', 8_388_608, chat, { code: 'invalid_output' }],
    ['the test of a link', 65_536, check, { ok: false }],
    ['a web request', 262_144, (body) => readBody(body, 'application/json'), { json: null }],
  ])('is refused before it is parsed, by the reader of %s', async (_what, bytes, read, refusal) => {
    const parse = vi.spyOn(JSON, 'parse');
    for (const body of [Buffer.alloc(bytes, '['), Buffer.alloc(bytes, '{"data":')]) {
      expect(await read(body)).toMatchObject(refusal);
    }
    expect(parse).not.toHaveBeenCalled();
  });
});
