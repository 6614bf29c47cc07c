import { EgressError, type EgressClient, type EgressRequest } from '@weft/egress';
import { Tracing, WORK_CONTEXT, type Span } from '@weft/observability';
import { beforeEach, describe, expect, it } from 'vitest';

import { tracedEgress } from './traced-egress.js';

const REQUEST: EgressRequest = {
  ...{ method: 'post', url: 'https://peer.example/hooks/secret?key=secret', headers: { accept: '*/*' } },
  ...{ timeoutMs: 1, maxRedirects: 0, maxResponseBytes: 1 },
};
const LAYER: Span = {
  ...{ traceId: 't', traceparent: 'of the layer', tracestate: 'vendor=x' },
  ...{ set: () => undefined, end: () => undefined },
};

const sent: EgressRequest[] = [];
const spans: unknown[] = [];
let answer: () => number = () => 200;

const client: EgressClient = {
  request: async (request) => {
    sent.push(request);
    return { statusCode: answer(), headers: {}, body: Buffer.alloc(0), url: request.url };
  },
  close: () => Promise.resolve(),
};
const tracing = new Tracing({
  begin: (name, kind, parent, attributes) => {
    spans.push([name, kind, parent?.traceparent, attributes]);
    return {
      ...parent,
      traceId: 't',
      traceparent: 'of the call',
      set: (more) => spans.push(more),
      end: (fault) => spans.push(fault),
    };
  },
  close: () => Promise.resolve(),
});
const traced = tracedEgress(client, tracing);
const call = (headers?: Record<string, string>) =>
  WORK_CONTEXT.run({ span: LAYER }, () => traced.request({ ...REQUEST, headers: { ...REQUEST.headers, ...headers } }));

beforeEach(() => {
  sent.length = 0;
  spans.length = 0;
  answer = () => 200;
});

describe('a call of a traced play', () => {
  it('goes on at the peer; its span names the host, and nothing that may be secret', async () => {
    await call();
    expect(sent[0]?.headers).toEqual({ accept: '*/*', traceparent: 'of the call', tracestate: 'vendor=x' });
    expect(spans[0]).toEqual([
      ...['POST', 'client', 'of the layer'],
      { 'http.request.method': 'POST', 'server.address': 'peer.example' },
    ]);
    expect(spans.slice(1)).toEqual([{ 'http.response.status_code': 200 }, undefined]);
  });

  it('keeps a trace that the layer sends itself', async () => {
    await call({ TraceParent: 'its own' });
    expect(sent[0]?.headers).toEqual({ accept: '*/*', TraceParent: 'its own' });
    await call({ tracestate: 'its=own' });
    expect(sent[1]?.headers).toEqual({ accept: '*/*', traceparent: 'of the call', tracestate: 'its=own' });
  });

  it('that fails says with which code', async () => {
    answer = () => 503;
    await call();
    expect(spans.at(-1)).toBe('503');
    answer = () => {
      throw new EgressError('timeout', 'peer.example did not answer');
    };
    await expect(call()).rejects.toThrow('did not answer');
    expect(spans.at(-1)).toBe('timeout');
  });
});

it('a call of a play that is not traced goes out as it is', async () => {
  await WORK_CONTEXT.run({ span: null }, () => traced.request(REQUEST));
  await traced.request(REQUEST);
  expect(sent).toEqual([REQUEST, REQUEST]);
  expect(spans).toEqual([]);
  expect(tracedEgress(client, Tracing.OFF)).toBe(client);
});
