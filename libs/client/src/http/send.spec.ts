import { describe, expect, it } from 'vitest';
import { retryAfterMs, send, type SendPolicy } from './send.js';
import { isWeftError } from './weft-error.js';

type Answer = Response | Error;

/** A server that gives these answers one after another; `asked` is what it was sent. */
function server(...answers: Answer[]) {
  const asked: { method: string; body: string }[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    request.signal.throwIfAborted();
    asked.push({ method: request.method, body: await request.text() });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    return answer?.clone() ?? new Response();
  };
  return { asked, fetch };
}

const ask = (method: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  new Request('http://weft.test/', { method, headers, signal, ...(method === 'GET' ? {} : { body: '{"n":1}' }) });
const policy = (fetch: SendPolicy['fetch'], more: Partial<SendPolicy> = {}): SendPolicy => ({
  fetch,
  retries: 3,
  timeoutMs: 5_000,
  ...more,
});
const answer = (status: number, headers = {}) => new Response(status === 204 ? null : 'x', { status, headers });
const cut = () => new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
const soon = { 'retry-after': '0' };

describe('send', () => {
  it.each([
    ['GET', 503, {}],
    ['GET', 429, {}],
    ['PUT', 503, {}],
    ['POST', 429, {}],
    ['POST', 503, { 'idempotency-key': 'k' }],
  ])('sends %s again after %i', async (method, status, headers) => {
    const { asked, fetch } = server(answer(status, soon), answer(200));
    expect((await send(ask(method, headers), policy(fetch))).status).toBe(200);
    expect(asked).toHaveLength(2);
    expect(asked[1]).toEqual(asked[0]);
  });

  it.each([
    ['POST', 503, {}],
    ['PATCH', 503, {}],
    ['PUT', 503, { 'if-match': '"3"' }],
    ['GET', 500, {}],
    ['GET', 404, {}],
  ])('gives the answer to %s that is %i as it is', async (method, status, headers) => {
    const { asked, fetch } = server(answer(status, soon), answer(200));
    expect((await send(ask(method, headers), policy(fetch))).status).toBe(status);
    expect(asked).toHaveLength(1);
  });

  it('sends again after a broken connection only what may come twice', async () => {
    const broken = server(cut(), answer(200));
    await expect(send(ask('POST'), policy(broken.fetch))).rejects.toMatchObject({ code: 'unreachable', status: null });
    expect(broken.asked).toHaveLength(1);
    const repeatable = server(cut(), answer(202));
    expect((await send(ask('POST'), policy(repeatable.fetch, { isRepeatable: true }))).status).toBe(202);
    expect(repeatable.asked).toHaveLength(2);
  });

  it('takes a deletion as done when the attempt before may have done it', async () => {
    expect((await send(ask('DELETE'), policy(server(cut(), answer(404)).fetch))).status).toBe(204);
    expect((await send(ask('DELETE'), policy(server(answer(503, soon), answer(404)).fetch))).status).toBe(204);
    expect((await send(ask('DELETE'), policy(server(answer(404)).fetch))).status).toBe(404);
    expect((await send(ask('DELETE'), policy(server(answer(429, soon), answer(404)).fetch))).status).toBe(404);
  });

  it('gives up after as many attempts as it was told', async () => {
    const { asked, fetch } = server(answer(503, soon));
    expect((await send(ask('GET'), policy(fetch, { retries: 1 }))).status).toBe(503);
    expect(asked).toHaveLength(2);
  });

  it('does not wait for longer than the call may take', async () => {
    const { asked, fetch } = server(answer(429, { 'retry-after': '60' }));
    expect((await send(ask('GET'), policy(fetch))).status).toBe(429);
    expect(asked).toHaveLength(1);
  });

  it('takes any time as a limit', async () => {
    for (const timeoutMs of [3e9, Infinity])
      expect((await send(ask('GET'), policy(server(answer(200)).fetch, { timeoutMs }))).status).toBe(200);
  });

  it('ends with `timeout` when no answer comes in time, and with the reason of the caller’s signal', async () => {
    const silent = (request: Request) =>
      new Promise<Response>((_resolve, reject) =>
        request.signal.addEventListener('abort', () => reject(request.signal.reason as Error)),
      );
    await expect(send(ask('GET'), policy(silent, { timeoutMs: 20 }))).rejects.toMatchObject({ code: 'timeout' });
    const stop = new AbortController();
    const stopped = send(ask('GET', {}, stop.signal), policy(silent));
    stop.abort(new RangeError('enough'));
    await expect(stopped).rejects.toThrow(RangeError);
  });

  it('says by its type which codes an error may have', async () => {
    const error: unknown = await send(ask('POST'), policy(server(cut()).fetch)).catch((fault: unknown) => fault);
    expect(isWeftError(error, 'unreachable')).toBe(true);
    expect(isWeftError(error, 'not_found')).toBe(false);
    expect(isWeftError(new Error('another'))).toBe(false);
  });
});

describe('retryAfterMs', () => {
  it('reads seconds and dates', () => {
    expect(retryAfterMs('2')).toBe(2_000);
    expect(retryAfterMs('0.5')).toBe(500);
    expect(retryAfterMs(new Date(0).toUTCString())).toBe(0);
    const at = Date.parse('2001-01-01T00:00:00Z');
    expect(retryAfterMs(new Date(at + 3_000).toUTCString(), at)).toBe(3_000); // by the clock of the server
    expect(retryAfterMs('soon')).toBeNull();
    expect(retryAfterMs('')).toBeNull();
    expect(retryAfterMs(null)).toBeNull();
  });
});
