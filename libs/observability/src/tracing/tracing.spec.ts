import { readFileSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

import { openTracing } from './open-tracing.js';
import { readTraceParent } from './trace-parent.js';
import type { Tracing } from './tracing.js';

const SOURCES = fileURLToPath(new URL('../', import.meta.url));
const SERVICE = { name: 'weft-test', version: '1.2.3', instance: 'one' };

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
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

function open(endpoint: string | null, sampleRatio = 1, onTrouble: (error: unknown) => void = () => undefined) {
  const headers = [{ name: 'authorization', value: 'Basic x' }];
  return openTracing({ endpoint, headers, sampleRatio, service: SERVICE, onTrouble, closeWithinMs: 500 });
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const begun = (tracing: Tracing, parent?: string | null) => tracing.begin('work', { kind: 'server', parent });

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

  it('are kept as the caller decided; those that begin here, by the share', async () => {
    const { endpoint } = await collector();
    const [all, none] = [await open(endpoint, 1), await open(endpoint, 0)];
    expect(begun(all, `00-${TRACE}-00f067aa0ba902b7-00`)).toBeNull();
    expect(begun(all, 'rubbish')).not.toBeNull();
    expect(begun(none)).toBeNull();
    expect(begun(none, `00-${TRACE}-00f067aa0ba902b7-01`)).not.toBeNull();
    expect(begun(all, null)).toBeNull();
    await Promise.all([all.close(), none.close()]);
  });

  it('that the collector does not take are told of, and bounded: nothing else comes of it', async () => {
    const { endpoint, spans } = await collector(400);
    const troubles: unknown[] = [];
    const tracing = await open(endpoint, 1, (error) => troubles.push(error));
    for (let n = 0; n < 10_000; n += 1) begun(tracing)?.end();
    await tracing.close();
    expect(troubles.length).toBeGreaterThan(0);
    expect(spans.length).toBeLessThanOrEqual(4_096 + 512);
  });

  it('end with the process although nobody listens', async () => {
    const tracing = await open('http://127.0.0.1:1');
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
    [`ff-${TRACE}-00f067aa0ba902b7-01`, null],
    [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, null],
    [`00-${TRACE}-${'0'.repeat(16)}-01`, null],
    [`00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`, null],
  ])('reads "%s"', (text, read) => {
    expect(readTraceParent(text)).toEqual(read);
  });
});
