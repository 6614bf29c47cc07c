import type { EgressRequest } from '@weft/egress';
import { describe, expect, it } from 'vitest';
import { layerContext } from '../../layer-context.fixture.js';
import { messageBody } from './message-body.js';
import { message } from './message.layer.js';

const HOOK = 'https://hooks.weft.test/secret/path';

async function posted(args: object, { type = 'chat', secret = HOOK, statusCode = 204 } = {}) {
  const asked: EgressRequest[] = [];
  const http = {
    request: async (request: EgressRequest) => {
      asked.push(request);
      return { statusCode, headers: {}, body: Buffer.from(''), url: request.url };
    },
    close: async () => undefined,
  };
  const connection = async () => ({ type, endpoint: null, secret });
  const parsed = message.argsSchema.parse({ integrationId: 'chat', text: 'Hi', ...args });
  const out = await message.run(parsed, layerContext({ http, connection }));
  return { out, request: asked[0] };
}

describe('message', () => {
  it('posts text and fields to the address that its link keeps', async () => {
    const { out, request } = await posted({ fields: { rows: 3 } });
    expect(out).toEqual({ statusCode: 204 });
    expect(request).toMatchObject({ method: 'POST', url: HOOK, maxRedirects: 0 });
    expect(request?.body).toBe('{"text":"Hi","fields":{"rows":3}}');
    expect(request?.headers).toMatchObject({ 'Content-Type': 'application/json', 'Idempotency-Key': 'play.0' });
  });

  it.each([301, 404, 500])('fails at %d, and names the host alone', async (statusCode) => {
    const failure = { code: 'bad_status', message: `hooks.weft.test answered ${statusCode}` };
    await expect(posted({}, { statusCode })).rejects.toMatchObject(failure);
  });

  it.each(['a-token', 'file:///etc/passwd'])('fails with a secret that is no webhook address: %j', async (secret) => {
    const failure = (await posted({}, { secret }).catch((error: unknown) => error)) as Error;
    expect(failure).toMatchObject({ code: 'integration_unusable' });
    expect(failure.message).not.toContain(secret);
  });
});

describe('the body of a message', () => {
  const fields = { rows: 3, ok: true, none: null };

  it('is what Slack takes', () => {
    expect(messageBody('slack', 'Hi', {})).toEqual({ text: 'Hi' });
    expect(messageBody('Slack', 'Hi', fields)).toEqual({
      text: 'Hi',
      blocks: [
        { type: 'section', text: { type: 'plain_text', text: 'Hi' } },
        { type: 'section', fields: ['rows\n3', 'ok\ntrue'].map((text) => ({ type: 'plain_text', text })) },
      ],
    });
  });

  it('is what Discord takes, and calls nobody', () => {
    const shown = [
      { name: 'rows', value: '3', inline: true },
      { name: 'ok', value: 'true', inline: true },
    ];
    expect(messageBody('discord', '@everyone', fields)).toEqual({
      content: '@everyone',
      allowed_mentions: { parse: [] },
      embeds: [{ fields: shown }],
    });
  });

  it('is what Teams takes', () => {
    const { attachments } = messageBody('teams', 'Hi', fields) as { attachments: { content: { body: unknown } }[] };
    const facts = [
      { title: 'rows', value: '3' },
      { title: 'ok', value: 'true' },
    ];
    expect(attachments[0]?.content.body).toEqual([
      { type: 'TextBlock', text: 'Hi', wrap: true },
      { type: 'FactSet', facts },
    ]);
  });
});
