import { aPlay } from '@weft/testing';
import { Tracing, WORK_CONTEXT, type Span } from '@weft/observability';
import { describe, expect, it } from 'vitest';

import { withOrigin } from './with-origin.js';

const PLAY = aPlay({ trigger: 'schedule' });

/** Spans that name their parent. */
function traced() {
  const ended: (string | undefined)[] = [];
  const tracing = new Tracing({
    begin: (_name, _kind, parent): Span => ({
      traceId: 't',
      ...parent,
      traceparent: `below ${parent?.traceparent ?? 'nothing'}`,
      set: () => undefined,
      end: (fault) => void ended.push(fault),
    }),
    close: () => Promise.resolve(),
  });
  return { tracing, ended };
}

const store = (play: typeof PLAY) => Promise.resolve({ play, replayed: false });
const span: Span = { traceId: 't', traceparent: 'the request', set: () => undefined, end: () => undefined };
const stated: Span = { ...span, tracestate: 'vendor=x' };

describe('a play', () => {
  it('keeps whose request made it, and its trace', async () => {
    const { tracing, ended } = traced();
    const { play } = await WORK_CONTEXT.run({ request_id: 'r', span }, () => withOrigin(PLAY, tracing, store));
    expect(play).toEqual({ ...PLAY, requestId: 'r', trace: 'below the request' });
    expect(ended).toEqual([undefined]);
  });

  it('keeps what other tracing systems say', async () => {
    const { play } = await WORK_CONTEXT.run({ span: stated }, () => withOrigin(PLAY, traced().tracing, store));
    expect(play).toEqual({ ...PLAY, trace: 'below the request', traceState: 'vendor=x' });
  });

  it('that nobody asks for begins a trace, and is of no request', async () => {
    const { play } = await withOrigin(PLAY, traced().tracing, store);
    expect(play).toEqual({ ...PLAY, trace: 'below nothing' });
  });

  it('that comes of what is not traced is not traced', async () => {
    const { play } = await WORK_CONTEXT.run({ span: null }, () => withOrigin(PLAY, traced().tracing, store));
    expect(play).toBe(PLAY);
  });

  it('is stored as it came where nothing is traced', async () => {
    expect((await withOrigin(PLAY, Tracing.OFF, store)).play).toBe(PLAY);
  });

  it('that is not accepted ends its span as a fault', async () => {
    const { tracing, ended } = traced();
    const away = () => Promise.reject(new Error('away'));
    await expect(withOrigin(PLAY, tracing, away)).rejects.toThrow('away');
    expect(ended).toEqual(['not_accepted']);
  });
});
