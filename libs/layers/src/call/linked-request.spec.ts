import { describe, expect, it } from 'vitest';
import type { Connection } from '../layer-module.js';
import type { IntegrationSource } from './integration-source.js';
import { peerWith, resultOf, type Answer } from '../loops/series.fixture.js';

const OLD = 'token-that-has-ended';
const NEW = 'token-that-is-valid';
const link = (secret: string, kind: Connection['kind']): Connection => ({
  ...{ type: 'openai', endpoint: 'https://api.example.com/v1', secret },
  ...(kind && { kind }),
  ...(kind === 'header' && { settings: { header: 'X-Key' } }),
});

/** A peer that takes only the new token, and a link that has the old one. */
function peerOf(layer: object, kind: Connection['kind'], other: string | null = NEW) {
  const refused: string[] = [];
  const integrations: IntegrationSource = {
    connection: async () => link(OLD, kind),
    renewed: async (_companyId, _integrationId, secret) => {
      refused.push(secret);
      return other === null ? null : link(other, kind);
    },
  };
  const answer = ({ headers }: { readonly headers?: object }): Answer => {
    const body = { told: headers, before: OLD, choices: [{ message: { content: `Hi ${OLD} ${NEW}` } }] };
    return { body, statusCode: JSON.stringify(headers).includes(NEW) ? 200 : 401 };
  };
  return { ...peerWith({ layer, answer, integrations }), refused };
}

const WEB = { args: { url: 'https://api.example.com/v1/orders', auth: { integrationId: 'l' } } };
const CHAT = { appId: 'ai-chat', args: { integrationId: 'l', model: 'm', messages: [{ role: 'user', content: 'p' }] } };

describe('a peer that answers 401', () => {
  it.each([
    ['a web request', WEB, 'oauth2'],
    ['a web request', WEB, 'oauth2_client_credentials'],
    ['a web request of a link that a provider connected', WEB, undefined],
    ['a chat', CHAT, 'oauth2_client_credentials'],
  ] as const)('is called once more by %s, with a new token', async (_what, layer, kind) => {
    const peer = peerOf(layer, kind);
    const end = await peer.run();
    expect(resultOf(end)).toMatchObject({ state: 'DONE', attempts: 1 });
    expect(peer.requests).toHaveLength(2);
    expect(peer.refused).toEqual([OLD]);
    const keys = peer.requests.map(({ headers }) => headers?.['Idempotency-Key']);
    expect(new Set(keys).size).toBe(1);
    expect(JSON.stringify(end)).not.toMatch(/token-that/);
  });

  it('is called once more only', async () => {
    const peer = peerOf(WEB, 'oauth2', 'token-that-is-wrong');
    expect(resultOf(await peer.run())).toMatchObject({ state: 'FAIL', error: { code: 'bad_status', statusCode: 401 } });
    expect(peer.requests).toHaveLength(2);
  });

  it.each([
    ['there is no other token', 'oauth2', null, [OLD]],
    ['the link has a key', 'header', NEW, []],
  ] as const)('fails the layer when %s', async (_why, kind, other, refused) => {
    const peer = peerOf(WEB, kind, other);
    expect(resultOf(await peer.run())).toMatchObject({ state: 'FAIL', error: { statusCode: 401 } });
    expect(peer.requests).toHaveLength(1);
    expect(peer.refused).toEqual(refused);
  });
});
