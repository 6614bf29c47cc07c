import { EgressError } from '@weft/egress';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { layerContext } from '../../layer-context.fixture.js';
import { exchangeRate } from './exchange-rate.layer.fixture.js';

const page = readFileSync(new URL('../../../../../docs/module-authors.md', import.meta.url), 'utf8');
const source = readFileSync(new URL('exchange-rate.layer.fixture.ts', import.meta.url), 'utf8');

const answering = (body: string) => ({
  http: {
    request: async ({ url }: { readonly url: string }) => ({
      statusCode: 200,
      headers: {},
      body: Buffer.from(body),
      url,
    }),
    close: async () => undefined,
  },
});
const run = (body: string) =>
  exchangeRate.run(
    exchangeRate.argsSchema.parse({ from: 'USD', to: 'EUR', amount: 10 }),
    layerContext(answering(body)),
  );

describe('docs/module-authors.md', () => {
  it('shows the module that is compiled here', () => {
    const shown = /\n```ts\n(.*?)```/s.exec(page)?.[1];
    expect(shown).toBe(source);
  });

  it('shows one that works', async () => {
    const out = await run('{"rate":0.5}');
    expect(exchangeRate.outSchema.parse(out)).toEqual({ amount: 5, rate: 0.5 });
    await expect(run('{}')).rejects.toMatchObject({ code: 'invalid_output' });
    const http = {
      request: () => Promise.reject(new EgressError('destination_blocked', 'no')),
      close: async () => undefined,
    };
    const blocked = exchangeRate.run(exchangeRate.argsSchema.parse({ from: 'USD', to: 'EUR' }), layerContext({ http }));
    await expect(blocked).rejects.toMatchObject({ name: 'LayerFailure', code: 'destination_blocked' });
  });
});
