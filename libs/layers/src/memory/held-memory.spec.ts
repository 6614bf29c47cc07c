import { BytesSemaphore } from '@weft/concurrency';
import { setImmediate as nextTurn } from 'node:timers';
import { describe, expect, it, vi } from 'vitest';
import { peerWith, resultOf, waitOf, type Peer, type Piece } from '../loops/series.fixture.js';

const turn = (): Promise<void> => new Promise((resolve) => nextTurn(resolve));

const MB = 1024 * 1024;
const SMALL_MB = 4;

/** A layer that is called for each of as many items, and answered with a text of as many bytes. */
function loopOf(items: number, bytes: number, more: Partial<Peer> = {}) {
  const open = new Set<string>();
  const large = new Set<string>();
  const most = { open: 0, large: 0 };
  const onPiece = async ({ url, at, isEnd }: Piece) => {
    open.add(url);
    if (at > SMALL_MB * MB) large.add(url);
    most.open = Math.max(most.open, open.size);
    most.large = Math.max(most.large, large.size);
    await turn();
    if (isEnd) for (const each of [open, large]) each.delete(url);
  };
  const peer = peerWith({
    layer: {
      args: { url: 'http://a/{{ $prev.args.of }}/{{ $index }}', responseType: 'text' },
      forEach: { in: '{{ $prev.args.list }}', concurrency: items },
    },
    answer: () => ({ headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(bytes) }),
    onPiece,
    ...more,
  });
  const list = Array.from({ length: items }, (_, i) => i);
  const run = (companyId: string, of = companyId) => peer.run({ of: { company_id: companyId, args: { list, of } } });
  return { ...peer, run, most };
}

describe('what calls hold', () => {
  it('is received one after another where a company has no more room, and at once where there is room', async () => {
    const narrow = loopOf(8, 300_000, { heldBytes: 2 * MB, maxOutputBytes: 4 * MB });
    expect(resultOf(await narrow.run('c')).state).toBe('DONE');
    expect(narrow.most.open).toBe(1);
    const wide = loopOf(8, 300_000, { maxOutputBytes: 4 * MB });
    expect(resultOf(await wide.run('c')).state).toBe('DONE');
    expect(wide.most.open).toBe(8);
  });

  it('leaves another company its room', async () => {
    const peer = loopOf(4, 300_000, { heldBytes: 2 * MB, maxOutputBytes: 2 * MB });
    const ends = await Promise.all([peer.run('c'), peer.run('d')]);
    expect(ends.map((end) => resultOf(end).state)).toEqual(['DONE', 'DONE']);
    expect(peer.most.open).toBe(2);
  });

  it('needs more room when it turns out to be large, and never waits for one that waits', async () => {
    const peer = loopOf(5, 5 * MB, { heldBytes: 32 * MB, maxOutputBytes: 30 * MB });
    expect(resultOf(await peer.run('c'))).toMatchObject({ state: 'DONE' });
    // two small ones and a large one
    expect(peer.most).toEqual({ open: 3, large: 1 });
  });

  it('grows beyond some results in one loop of a company after the other', async () => {
    const begun = new Map<string, number>();
    const ended = new Set<string>();
    let most = 0;
    const onPiece = async ({ url, at }: Piece) => {
      const run = url.split('/')[3] ?? '';
      if (at === 0) begun.set(run, (begun.get(run) ?? 0) + 1);
      const large = [...begun].filter(([name, bodies]) => bodies === 6 && !ended.has(name));
      most = Math.max(most, large.length);
      await turn();
    };
    const peer = loopOf(6, MB, { heldBytes: 16 * MB, maxOutputBytes: 8 * MB, onPiece });
    const ends = await Promise.all(
      ['one', 'two', 'three'].map(async (of) => {
        const { state } = resultOf(await peer.run('c', of));
        ended.add(of);
        return state;
      }),
    );
    expect(ends).toEqual(['DONE', 'DONE', 'DONE']);
    expect(most).toBe(1);
  });

  it('does not take time from the layer while it waits, and ends with its call', async () => {
    const ended: string[] = [];
    let letGo = () => undefined as void;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const peer = loopOf(1, 300_000, {
      heldBytes: 2 * MB,
      maxOutputBytes: MB,
      layer: {
        args: { url: 'http://a/{{ $prev.args.of }}/{{ $index }}', responseType: 'text' },
        forEach: { in: '{{ $prev.args.list }}', concurrency: 1 },
        timeoutMs: 1_000,
      },
      onPiece: async ({ isEnd }) => {
        if (isEnd && ended.length === 0) await held;
      },
    });
    const first = peer.run('c').then((end) => ended.push(resultOf(end).state));
    const second = peer.run('c').then((end) => ended.push(resultOf(end).state));
    letGo();
    await Promise.all([first, second]);
    expect(ended).toEqual(['DONE', 'DONE']);
  });

  it('is free again after a call that failed, or was cancelled while it waited', async () => {
    const peer = loopOf(2, 300_000, {
      heldBytes: 2 * MB,
      maxOutputBytes: MB,
      answer: () => ({ statusCode: 500, headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(300_000) }),
    });
    for (let n = 0; n < 3; n += 1) expect(resultOf(await peer.run('c')).state).toBe('FAIL');
    const cancelled = new AbortController();
    cancelled.abort();
    const end = await peer.run('c');
    expect(resultOf(end).state).toBe('FAIL');
  });

  it('is not kept from a company by the peers of others that send nothing more', async () => {
    const stuck = new Promise<void>(() => undefined);
    const peer = loopOf(32, 100_000, {
      maxOutputBytes: 4 * MB,
      onPiece: ({ url }) => (url.includes('/stuck/') ? stuck : undefined),
    });
    for (const company of ['a', 'b', 'c']) void peer.run(company, 'stuck');
    expect(resultOf(await peer.run('d')).state).toBe('DONE');
  });

  it('ends with a call whose answer does not arrive', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const begun = Promise.withResolvers<void>();
      const peer = loopOf(1, 300_000, {
        heldBytes: 2 * MB,
        maxOutputBytes: MB,
        layer: {
          args: { url: 'http://a/{{ $prev.args.of }}', responseType: 'text' },
          forEach: { in: '{{ $prev.args.list }}', concurrency: 1 },
          timeoutMs: 86_400_000,
        },
        onPiece: ({ url }) => {
          if (!url.includes('/stuck')) return undefined;
          begun.resolve();
          return new Promise((_, reject) => {
            const { signal } = peer.requests[0] ?? {};
            signal?.addEventListener('abort', () => reject(signal.reason as Error));
          });
        },
      });
      const stuck = peer.run('c', 'stuck');
      await begun.promise;
      const next = peer.run('c');
      await vi.advanceTimersByTimeAsync(600_000);
      expect(resultOf(await stuck).error).toMatchObject({
        code: 'timeout',
        message: 'item 0: a did not send its answer within 600000 ms of having room for it',
      });
      expect(resultOf(await next).state).toBe('DONE');
    } finally {
      vi.useRealTimers();
    }
  });

  it('is passed on by a loop with large results while others wait for it, and the loop goes on with its next item', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      let letGo = () => undefined as void;
      const held = new Promise<void>((resolve) => (letGo = resolve));
      const inFifth = new Set<string>();
      const isFifth = Promise.withResolvers<void>();
      const peer = loopOf(6, 3.5 * MB, {
        maxOutputBytes: 64 * MB,
        layer: {
          args: { url: 'http://a/{{ $prev.args.of }}/{{ $index }}', responseType: 'text' },
          forEach: { in: '{{ $prev.args.list }}', concurrency: 1 },
        },
        onPiece: async ({ url }) => {
          if (!url.endsWith('/4') || url.includes('/e/')) return turn();
          inFifth.add(url);
          if (inFifth.size === 4) isFifth.resolve();
          return held;
        },
      });
      const full = ['a', 'b', 'c', 'd'].map((company) => peer.run(company));
      await isFifth.promise;
      const asks = vi.spyOn(BytesSemaphore.prototype, 'acquire');
      const last = peer.run('e');
      await vi.waitFor(() => expect(asks).toHaveBeenCalledWith('e', 64 * MB, expect.anything()), { timeout: 60_000 });
      await vi.advanceTimersByTimeAsync(300_000);
      letGo();
      const left = (await Promise.all(full)).map((end) => waitOf(end));
      expect(left).toMatchObject(
        Array.from({ length: 4 }, () => ({ wait: { kind: 'repeat' }, doneItems: { count: 5 } })),
      );
      expect(resultOf(await last).state).toBe('DONE');
    } finally {
      vi.restoreAllMocks().useRealTimers();
    }
  });
});
