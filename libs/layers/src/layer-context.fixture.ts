import { buffer } from 'node:stream/consumers';
import type { Connection, LayerContext } from './layer-module.js';

/** A link of each kind, by id; any other id is a link to an API. */
const LINKS: Readonly<Record<string, Connection>> = {
  mail: { type: 'smtp', endpoint: 'smtp://mail.example.com', secret: 'sender@example.com:right' },
  chat: { type: 'slack', endpoint: null, secret: 'https://hooks.example.com/secret' },
  storage: {
    ...{ type: 's3', endpoint: 'https://storage.example.com', kind: 'aws_sigv4' },
    settings: { region: 'eu-central-1', service: 's3' },
    secret: JSON.stringify({ access_key_id: 'AKIDEXAMPLE', secret_access_key: 'key' }),
  },
  model: { type: 'openai', endpoint: 'https://models.example.com/v1', secret: 'key' },
};

const nobody = (): Promise<never> => Promise.reject(new Error('nobody is called here'));

/** A context for specs that do not depend on its details. */
export function layerContext(part: Partial<LayerContext> = {}): LayerContext {
  return {
    playId: 'play',
    idempotencyKey: 'play.0',
    signal: new AbortController().signal,
    timeoutMs: 30_000,
    maxOutputBytes: 67_108_864,
    http: { request: nobody, close: async () => undefined },
    afterwards: { request: nobody, close: async () => undefined },
    whole: async ({ body, stream }) => (stream ? buffer(stream) : body),
    hold: () => ({ reserve: () => undefined, arrived: () => undefined }),
    sockets: { dial: nobody },
    storage: null,
    files: { open: nobody, store: nobody },
    integrations: { accessToken: async () => 'token' },
    connection: async (id) => LINKS[id] ?? { type: 'api', endpoint: 'https://api.example.com', secret: 'token' },
    database: nobody,
    kv: {
      get: async () => ({ value: [1], existed: true, version: 1 }),
      add: async (_key, value) => ({ value, existed: false, version: 1 }),
      set: async () => ({ existed: false, version: 1 }),
      increment: async (_key, by = 1) => ({ value: by, existed: false, version: 1 }),
      delete: async () => ({ existed: true }),
    },
    plays: { start: nobody },
    accountAi: ({ cost }) => cost,
    sandbox: { transform: nobody, code: nobody, extract: nobody },
    progress: () => undefined,
    says: () => ({ add: () => undefined, end: () => undefined }),
    ...part,
  };
}
