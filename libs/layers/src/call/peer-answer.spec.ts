import { describe, expect, it } from 'vitest';
import type { LayerDefinition } from '@weft/engine';
import { aLayer, aPlay, aVersion, sandbox } from '@weft/testing';
import { MemoryPayloads } from '../stored/memory-payloads.fixture.js';
import { LayerFailure } from '../layer-module.js';
import { InlineBudget } from '../memory/inline-budget.js';
import { LayerRunner } from './layer-runner.js';
import { prepareVersion } from './prepared-version.js';
import { peerOf } from './peer-answer.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const inSeconds = (seconds: number) => new Date(NOW + seconds * 1_000);

function asked(statusCode: number, headers: Readonly<Record<string, string>>): number | undefined {
  const failure = new LayerFailure('bad_status', 'no', undefined, { answer: { statusCode, headers } });
  return peerOf(failure, NOW)?.retryAfterMs;
}

describe('what a peer says about the next call', () => {
  it.each([
    [429, { 'retry-after': '2' }, 2_000],
    [500, { 'retry-after': '0' }, 0],
    [503, { 'retry-after': inSeconds(90).toUTCString() }, 90_000],
    // the peer's own clock, which may be wrong
    [503, { 'retry-after': inSeconds(90).toUTCString(), date: inSeconds(60).toUTCString() }, 30_000],
    [503, { 'retry-after': inSeconds(-90).toUTCString() }, 0],
    // Retry-After counts more than a reset
    [429, { 'retry-after': '2', 'ratelimit-reset': '60' }, 2_000],
    [429, { 'ratelimit-reset': '7' }, 7_000],
    [429, { ratelimit: '"burst";r=0;t=30' }, 30_000],
    [429, { ratelimit: 'limit=100, remaining=0, reset=12' }, 12_000],
    [429, { ratelimit: '"burst";r=0;t=2, "day";r=7;t=3600' }, 2_000],
    [429, { ratelimit: '"burst";r=0;t=2, "day";r=0;t=3600' }, 3_600_000],
    [403, { ratelimit: '"day";r=0;t=60, "burst";r=9;t=1' }, 60_000],
    [429, { 'x-ratelimit-reset': String(NOW / 1_000 + 45) }, 45_000],
    [429, { 'x-ratelimit-reset': String(NOW + 45_500) }, 45_500],
    [429, { 'x-ratelimit-reset': '30' }, 30_000],
    [429, { 'x-ratelimit-reset-after': '1.25', 'x-ratelimit-reset': '99' }, 1_250],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' }, 60_000],
  ])('%i with %j: %i ms', (statusCode, headers, ms) => {
    expect(asked(statusCode, headers)).toBe(ms);
  });

  it.each([
    [429, {}],
    [429, { 'retry-after': 'soon' }],
    [429, { 'retry-after': '-5' }],
    [429, { 'retry-after': '9'.repeat(400) }],
    [429, { ratelimit: ';=;,=,,' }],
    // some of the limit is left, so it is not what made the call fail
    [500, { 'x-ratelimit-remaining': '5', 'x-ratelimit-reset': '60' }],
    [500, { 'ratelimit-reset': '60' }],
  ])('%i with %j: nothing', (statusCode, headers) => {
    expect(asked(statusCode, headers as Record<string, string>)).toBeUndefined();
  });

  it('is nothing without an answer', () => {
    expect(peerOf(new LayerFailure('connect_failed', 'no'), NOW)).toBeUndefined();
  });
});

describe('a layer whose peer names a time', () => {
  const retry = { attempts: 3, backoff: 'fixed', delayMs: 0, maxDelayMs: 60_000 } as const;

  async function call(layer: Partial<LayerDefinition>) {
    let requests = 0;
    const http = {
      request: async ({ url }: { readonly url: string }) => {
        requests += 1;
        return { statusCode: 429, headers: { 'retry-after': '30' }, body: Buffer.alloc(0), url };
      },
      close: async () => undefined,
    };
    const version = aVersion([aLayer('ask', { appId: 'web-request', args: { url: 'http://a/' }, retry, ...layer })]);
    const runner = new LayerRunner({ http, payloads: new MemoryPayloads(), sandbox, serverNow: () => NOW });
    const { outcome } = await runner.run({
      ...{ play: aPlay(), prepared: prepareVersion(version, 'Acme'), position: 0, attempt: 1, wait: null },
      ...{ answer: null, outputs: new Map(), errors: new Map(), inlineBudget: new InlineBudget(), by: 'me' },
      signal: new AbortController().signal,
    });
    return { outcome, requests };
  }

  it.each([
    ['by itself', {}],
    [
      'for an item of its loop, which it does not wait for in its slot',
      { forEach: { in: '{{ ["x"] }}', concurrency: 1 } },
    ],
  ])('reports it: %s', async (_title, layer) => {
    const { outcome, requests } = await call(layer);
    expect(outcome).toMatchObject({ peer: { statusCode: 429, retryAfterMs: 30_000 } });
    expect(requests).toBe(1);
  });
});
