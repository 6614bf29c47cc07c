import { waitFor } from '@weft/testing';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

import { openTracing, type TracingOptions } from './open-tracing.js';
import { readTraceParent } from './trace-parent.js';
import type { Tracing } from './tracing.js';

const SOURCES = fileURLToPath(new URL('../', import.meta.url));
const SERVICE = { name: 'weft-test', version: '1.2.3', instance: 'one' };

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
}

let server: Server | undefined;
afterEach(() => server?.close());

/** A collector on this machine. */
async function collector(status = 200) {
  const spans: SentSpan[] = [];
  const headers: unknown[] = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const sent = JSON.parse(Buffer.concat(chunks).toString()) as {
        resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[];
      };
      spans.push(...sent.resourceSpans.flatMap((each) => each.scopeSpans).flatMap((each) => each.spans));
      headers.push([request.url, request.headers.authorization]);
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { spans, headers, endpoint: `http://127.0.0.1:${port}` };
}

function open(endpoint: string | null, more: Partial<TracingOptions> = {}) {
  const headers = [{ name: 'authorization', value: 'Basic x' }];
  const onTrouble = () => undefined;
  return openTracing({
    endpoint,
    headers,
    sampleRatio: 1,
    service: SERVICE,
    onTrouble,
    closeWithinMs: 60_000,
    ...more,
  });
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const begun = (tracing: Tracing, parent?: string | null) =>
  tracing.begin('work', { kind: 'server', parent: typeof parent === 'string' ? { traceparent: parent } : parent });

describe('traces', () => {
  it('go to the collector with its headers, each span below its parent, within a trace that came in', async () => {
    const { spans, headers, endpoint } = await collector();
    const tracing = await open(endpoint);
    const outer = begun(tracing, `00-${TRACE}-00f067aa0ba902b7-01`);
    const inner = tracing.begin('inner', { kind: 'client', parent: outer });
    inner?.end('timeout');
    outer?.end();
    await tracing.close();
    expect(headers).toEqual([['/v1/traces', 'Basic x']]);
    const [first, second] = spans;
    expect(spans.map(({ name, traceId }) => [name, traceId])).toEqual([
      ['inner', TRACE],
      ['work', TRACE],
    ]);
    expect(second?.parentSpanId).toBe('00f067aa0ba902b7');
    expect(first?.parentSpanId).toBe(second?.spanId);
    expect(inner?.traceparent).toBe(`00-${TRACE}-${first?.spanId}-01`);
  });

  it('carry what other tracing systems said to everything below, as it came', async () => {
    const { spans, endpoint } = await collector();
    const tracing = await open(endpoint);
    const parent = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, tracestate: 'congo=t61rcWkgMzE,rojo=00f0' };
    const outer = tracing.begin('work', { kind: 'server', parent });
    const inner = tracing.begin('inner', { kind: 'client', parent: outer });
    inner?.end();
    outer?.end();
    const alone = tracing.begin('alone', { kind: 'server', parent: { ...parent, traceparent: 'rubbish' } });
    expect([outer, inner, alone].map((span) => span?.tracestate)).toEqual([
      parent.tracestate,
      parent.tracestate,
      undefined,
    ]);
    await tracing.close();
    expect(spans.map(({ traceState }) => traceState)).toEqual([parent.tracestate, parent.tracestate]);
  });

  it('are kept as the caller decided; those that begin here, by the share', async () => {
    const { endpoint } = await collector();
    const [all, none] = [await open(endpoint), await open(endpoint, { sampleRatio: 0 })];
    expect(begun(all, `00-${TRACE}-00f067aa0ba902b7-00`)).toBeNull();
    expect(begun(all, 'rubbish')).not.toBeNull();
    expect(begun(none)).toBeNull();
    expect(begun(none, `00-${TRACE}-00f067aa0ba902b7-01`)).not.toBeNull();
    expect(begun(all, null)).toBeNull();
    await Promise.all([all.close(), none.close()]);
  });

  it('that the collector does not take are told of, counted and bounded: nothing else comes of it', async () => {
    const { endpoint, spans } = await collector(400);
    const troubles: unknown[] = [];
    let dropped = 0;
    const tracing = await open(endpoint, {
      onTrouble: (error) => troubles.push(error),
      onDropped: (count) => (dropped += count),
    });
    for (let n = 0; n < 10_000; n += 1) begun(tracing)?.end();
    await tracing.close();
    expect(troubles.length).toBeGreaterThan(0);
    expect(spans.length).toBeLessThanOrEqual(4_096 + 512);
    expect(dropped).toBe(10_000);
  });

  it('for which there is no room are counted, and no others', async () => {
    const { endpoint, spans } = await collector();
    let dropped = 0;
    const tracing = await open(endpoint, { onDropped: (count) => (dropped += count) });
    for (let n = 0; n < 6_000; n += 1) begun(tracing)?.end();
    expect(dropped).toBeGreaterThan(0);
    const lost = dropped;
    await waitFor(() => spans.length + lost >= 5_500, { what: 'the first spans' });
    for (let n = 0; n < 500; n += 1) begun(tracing)?.end();
    await tracing.close();
    expect([dropped, spans.length]).toEqual([lost, 6_500 - lost]);
  });

  it('end with the process although nobody listens', async () => {
    const tracing = await open('http://127.0.0.1:1', { closeWithinMs: 500 });
    begun(tracing)?.end();
    await expect(tracing.close()).resolves.toBeUndefined();
  });
});

describe('without a collector', () => {
  it('nothing is made', async () => {
    const tracing = await open(null);
    expect(tracing.isOn).toBe(false);
    expect(begun(tracing, `00-${TRACE}-00f067aa0ba902b7-01`)).toBeNull();
  });

  it('no library of traces is loaded', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /^(?!.*\.spec).*\.ts$/.test(file),
    );
    const text = (file: string) => readFileSync(join(SOURCES, file), 'utf8');
    expect(files.filter((file) => text(file).includes("'@opentelemetry/"))).toEqual([join('tracing', 'otlp-spans.ts')]);
    const loads = files.flatMap((file) => text(file).match(/^.*otlp-spans\.js.*$/gm) ?? []);
    expect(loads).toEqual(["  const { OtlpSpans } = await import('./otlp-spans.js');"]);
  });
});

describe('readTraceParent', () => {
  it.each([
    ['', null],
    [`00-${TRACE}-00f067aa0ba902b7-01`, { traceId: TRACE, spanId: '00f067aa0ba902b7', isSampled: true }],
    [`01-${TRACE}-00f067aa0ba902b7-02`, { traceId: TRACE, spanId: '00f067aa0ba902b7', isSampled: false }],
    [`01-${TRACE}-00f067aa0ba902b7-03-more`, { traceId: TRACE, spanId: '00f067aa0ba902b7', isSampled: true }],
    [`01-${TRACE}-00f067aa0ba902b7-03more`, null],
    [`01-${TRACE}-00f067aa0ba902b7-03-${'x'.repeat(201)}`, null],
    [`00-${TRACE}-00f067aa0ba902b7-01-more`, null],
    [`00-${TRACE}-00f067aa0ba902b7-01, 00-${TRACE}-00f067aa0ba902b7-01`, null],
    [`00-${TRACE}-00f067aa0ba902b7`, null],
    [`ff-${TRACE}-00f067aa0ba902b7-01`, null],
    [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, null],
    [`00-${TRACE}-${'0'.repeat(16)}-01`, null],
    [`00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`, null],
  ])('reads "%s"', (text, read) => {
    expect(readTraceParent(text)).toEqual(read);
  });
});
