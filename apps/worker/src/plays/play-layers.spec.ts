import { type LayerResult, type Session } from '@weft/engine';
import { aPlay } from '@weft/testing';
import { UnloadedOutput, type LayerCall, type LayerRunner, type PreparedVersion } from '@weft/layers';
import { describe, expect, it } from 'vitest';
import { PlayLayers } from './play-layers.js';

const AT = new Date(0);
const MB = 1024 * 1024;
const play = aPlay({ serverNow: AT });

function large(position: number, bytes: number): LayerResult {
  return {
    ...{ position, ref: `l${position}`, name: '', state: 'DONE', startedAt: AT, completedAt: AT, out: null },
    ...{ outRef: { $ref: `file-${position}`, bytes }, outBytes: bytes, attempts: 1, by: 'w:1' },
  };
}

const watchers = { publish: () => undefined, say: () => false, layersRecorded: () => undefined };

/** The layers of a play, whose calls end at once, and these calls. */
function workOf(of: typeof play): { readonly work: PlayLayers; readonly calls: readonly LayerCall[] } {
  const calls: LayerCall[] = [];
  const run: LayerRunner['run'] = async (call) => {
    calls.push(call);
    return { outcome: { kind: 'result', result: large(9, 0) }, out: null };
  };
  const runner = { run, check: async () => null, discard: async () => undefined };
  const call = { signal: new AbortController().signal, by: 'w:1' };
  return { work: new PlayLayers(runner, of, {} as PreparedVersion, call, watchers), calls };
}

/** What a layer could read after these large outputs. */
function readAfter(sizes: readonly number[], stored: readonly LayerResult[] = []): LayerCall['outputs'] {
  const { work, calls } = workOf({ ...play, layers: stored });
  sizes.forEach((bytes, i) => {
    const result = large(stored.length + i, bytes);
    work.learn([result], { kind: 'result', result }, `text ${i}`);
    work.unload();
  });
  void work.run({ tries: {}, waits: {}, inbox: {} } as unknown as Session, 9);
  return calls[0]?.outputs ?? new Map<string, unknown>();
}

describe('PlayLayers', () => {
  it('lets go of the output of a call that is made again, and of no other', () => {
    const discarded: LayerResult[] = [];
    const discard: LayerRunner['discard'] = async (_of, result) => void discarded.push(result);
    const call = { signal: new AbortController().signal, by: 'w:1' };
    const runner = { run: () => Promise.reject(new Error()), check: async () => null, discard };
    const work = new PlayLayers(runner, play, {} as PreparedVersion, call, watchers);
    const [failed, done] = [large(0, MB), large(1, MB)];
    work.learn([], { kind: 'result', result: failed }, null);
    work.learn([done], { kind: 'result', result: done }, 'text');
    work.learn([], null, null);
    expect(discarded).toEqual([failed]);
  });

  it('tells a loop that is called again what it has done since the play was handed out', () => {
    const before = { ...play, doneItems: { '0': { digest: 'd', text: '[1]' } } } as unknown as typeof play;
    const { work, calls } = workOf(before);
    const doneItems = { '0': { digest: 'd', text: '[1,2,3]' } };
    void work.run({ tries: {}, waits: {}, inbox: {}, doneItems } as unknown as Session, 0);
    expect(calls[0]?.play.doneItems).toEqual(doneItems);
  });

  it('waits longer in the slot for rate limits once the log of the play is full, and leaves room for holds and attempts', () => {
    const { work, calls } = workOf(play);
    for (const seq of [999, 1_000, 1_009, 1_999, 2_000]) {
      void work.run({ tries: {}, waits: {}, inbox: {}, seq, cursor: seq === 1_009 ? 5 : 0 } as unknown as Session, 0);
    }
    expect(calls.map(({ slotMs }) => slotMs)).toEqual([undefined, 60_000, undefined, 60_000, Number.POSITIVE_INFINITY]);
  });

  it('gives later layers the errors of those that failed, of an earlier hand-out, too', () => {
    const error = { code: 'bad_status', message: 'a answered 422', statusCode: 422 };
    const failed = (position: number): LayerResult => ({ ...large(position, 0), state: 'FAIL', attempts: 2, error });
    const stored = { ...play, layers: [failed(0), large(1, 0)] };
    const { work, calls } = workOf(stored);
    work.learn([failed(2)], { kind: 'result', result: failed(2) }, null);
    void work.run({ tries: {}, waits: {}, inbox: {} } as unknown as Session, 9);
    const shown = { ...error, attempts: 2, item: null };
    expect([...(calls[0]?.errors ?? [])]).toEqual([
      ['l0', shown],
      ['l2', shown],
    ]);
  });

  it('keeps large outputs in memory, the latest ones, up to a few megabytes', () => {
    expect([...readAfter([4 * MB, 2 * MB, 2 * MB])]).toEqual([
      ['l0', new UnloadedOutput({ $ref: 'file-0', bytes: 4 * MB })],
      ['l1', 'text 1'],
      ['l2', 'text 2'],
    ]);
  });

  it('leaves those of an earlier hand-out where they lie until they are read', () => {
    const outputs = readAfter([MB], [large(0, MB)]);
    expect([...outputs.values()]).toEqual([new UnloadedOutput({ $ref: 'file-0', bytes: MB }), 'text 0']);
  });
});
