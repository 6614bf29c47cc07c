import { ledgerServer, waitFor } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { startFleet } from './harness/fleet.js';
import { twoLayerFlow } from './harness/two-layer-flow.js';

const collector = await ledgerServer();
afterAll(() => collector.close());

const { admin, ledger, one } = await startFleet({
  apps: ['api', 'worker', 'scheduler'],
  env: { LOG_LEVEL: 'debug', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
});

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

interface SentTraces {
  readonly resourceSpans: readonly {
    readonly resource: Pick<SentSpan, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** What was collected of a trace: which process, which span, below which. */
function spansOf(traceId: string) {
  const sent = collector.callsTo('/v1/traces').map(({ body }) => JSON.parse(body) as SentTraces);
  const found = sent
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue as string;
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ service, ...span })));
    })
    .filter((span) => span.traceId === traceId);
  const nameOf = (id?: string) => found.find(({ spanId }) => spanId === id)?.name ?? id;
  return found.map((span) => ({ ...span, below: nameOf(span.parentSpanId) }));
}

type Line = Readonly<Record<string, unknown>>;

function linesOf(app: 'api' | 'worker' | 'scheduler'): readonly Line[] {
  const lines = one(app).output().split('\n').slice(0, -1);
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line);
}

const flow = await twoLayerFlow(admin, ledger.url);
const run = (flowId: string, headers: Readonly<Record<string, string>>) =>
  admin.send<{ playId: string }>('POST', `/api/v1/flows/${flowId}/run`, { args: { n: 1 } }, headers);

describe('a run', () => {
  it('is one trace from its caller over API, worker and layers to the peer that it calls', async () => {
    const [traceId, unsampled] = ['4bf92f3577b34da6a3ce929d0e0e4736', '0af7651916cd43dd8448eb211c80319c'];
    const quiet = await run(flow.id, { traceparent: `00-${unsampled}-00f067aa0ba902b7-00` });
    await admin.waitForPlay(quiet.body.playId);
    const { body, headers } = await run(flow.id, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    expect((await admin.waitForPlay(body.playId)).state).toBe('DONE');

    const spans = await waitFor(() => spansOf(traceId).length >= 6 && spansOf(traceId), { what: 'the spans' });
    const route = 'POST /api/v1/flows/:id/run';
    expect(spans.map(({ service, name, below }) => [service, name, below]).sort()).toEqual([
      ['weft-api', route, '00f067aa0ba902b7'],
      ['weft-api', 'accept play', route],
      ['weft-worker', 'POST', 'layer web-request'],
      ['weft-worker', 'layer text-template', 'run play'],
      ['weft-worker', 'layer web-request', 'run play'],
      ['weft-worker', 'run play', 'accept play'],
    ]);
    const idOf = (name: string) => spans.find((span) => span.name === name)?.spanId;
    const [first, second] = ledger.callsTo('/ask');
    expect(second?.headers.traceparent).toBe(`00-${traceId}-${idOf('POST')}-01`);
    expect(headers.traceparent).toBe(`00-${traceId}-${idOf(route)}-01`);

    // whom its caller does not trace is not traced anywhere
    expect(quiet.headers.traceparent).toBe(`00-${unsampled}-00f067aa0ba902b7-00`);
    expect(first?.headers).not.toHaveProperty('traceparent');
    expect(spansOf(unsampled)).toEqual([]);
    const played = linesOf('worker').filter((line) => line.play_id === body.playId);
    expect(played).toMatchObject([{ message: 'a play ended', level: 'DEBUG', trace_id: traceId, state: 'DONE' }]);
  });

  it('is in the logs under the id of its request, whoever rings for it later', async () => {
    ledger.answerWith(() => ({ status: 500 }));
    const waiting = await admin.createFlow({ name: 'Waits, then fails' });
    await admin.addLayer(waiting.id, { ref: 'paid', appId: 'wait-event', args: { name: 'paid' } });
    await admin.addLayer(waiting.id, { ref: 'fetch', appId: 'web-request', args: { url: `${ledger.url}/ask` } });
    const { playId } = (await run(waiting.id, { 'x-request-id': 'the-run' })).body;
    await admin.waitForPlay(playId, { state: 'WAIT' });
    const resume = await admin.send(
      'POST',
      `/api/v1/plays/${playId}/resume`,
      { ref: 'paid' },
      { 'x-request-id': 'later' },
    );
    expect(resume.status).toBe(200);
    expect((await admin.waitForPlay(playId)).state).toBe('FAIL');

    const lines = await waitFor(
      () => {
        const found = linesOf('worker').filter((line) => line.play_id === playId);
        return found.length >= 2 && found;
      },
      { what: 'the lines about the play' },
    );
    expect(lines).toMatchObject([
      {
        ...{ level: 'INFO', component: 'layers', message: 'a layer failed', request_id: 'the-run' },
        ...{ ref: 'fetch', app_id: 'web-request', attempt: 1, error: { code: 'bad_status' } },
        duration_ms: expect.any(Number) as number,
      },
      { component: 'worker', message: 'a play ended', request_id: 'the-run', state: 'FAIL' },
    ]);
    const asked = linesOf('api').filter((line) => line.request_id === 'the-run' && line.component === 'http');
    expect(asked).toMatchObject([{ method: 'POST', status: 202, duration_ms: expect.any(Number) as number }]);
  });
});
