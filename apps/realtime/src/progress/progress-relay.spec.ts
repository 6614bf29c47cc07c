import type { LayerProgress, LayerText, PlayFrame } from '@weft/contracts';
import { numberEvents, type LayerWait, type PlayEvent } from '@weft/engine';
import type { ProgressListener } from '@weft/realtime-bus';
import { describe, expect, it } from 'vitest';
import { PlayWatcher } from '../play-stream/play-watcher.js';
import { ProgressRelay } from './progress-relay.js';

const at = new Date('2026-11-21T09:00:00.000Z');
const RUN: PlayEvent = { type: 'state', from: 'NEW', state: 'RUN', at };
const start = (layer: number): PlayEvent => ({ type: 'start', layer, ref: `l${layer}`, name: 'L', at });
const complete = (layer: number): PlayEvent => ({ type: 'complete', layer, state: 'DONE', at });

function fixture() {
  const listeners = new Map<string, ProgressListener>();
  let nowMs = at.getTime();
  const bus = {
    subscribe: (companyId: string, listener: ProgressListener) => {
      listeners.set(companyId, listener);
      return () => void listeners.delete(companyId);
    },
  };
  const relay = new ProgressRelay(bus, () => nowMs);
  const watchers = new Set<PlayWatcher>();
  const play = { playId: 'p', companyId: 'c', watchers };
  relay.follow(play);
  return {
    relay,
    play,
    listeners,
    tell: (told: Partial<LayerProgress> = {}, companyId = 'c') =>
      listeners.get(companyId)?.progress([{ playId: 'p', position: 0, attempt: 1, percent: 1, status: 's', ...told }]),
    say: (told: Partial<LayerText> = {}, companyId = 'c') =>
      listeners.get(companyId)?.text({ playId: 'p', position: 0, answer: 0, at: 0, text: '', ...told }),
    learn: (events: readonly PlayEvent[], waits?: Record<string, LayerWait>) =>
      relay.onDelivered(play, { log: numberEvents(0, [{ type: 'accepted', at }, ...events]), ...(waits && { waits }) }),
    /** @param nextSeq of a reader that has all earlier frames */
    reader(nextSeq: number) {
      const got: string[] = [];
      const sink = {
        isFull: false,
        isClosing: false,
        close: () => undefined,
        send: (text: Buffer) => {
          const frame = JSON.parse(String(text)) as PlayFrame;
          if ('seq' in frame) throw new Error(`it has a number: ${String(text)}`);
          if (frame.type === 'layer_delta') got.push(`${frame.data.answer} ${frame.data.at} ${frame.data.text}`);
          if (frame.type !== 'layer_progress') return;
          got.push(`${frame.data.layer_id} ${frame.data.ref} ${frame.data.progress_percent}`);
        },
      };
      watchers.add(new PlayWatcher({ playId: 'p', companyId: 'c', flowId: 'f' }, nextSeq, sink));
      return { got, sink };
    },
    after: (ms: number) => {
      nowMs = at.getTime() + ms;
      relay.tick();
    },
  };
}

describe('the relay of progress', () => {
  it('tells who has the layer start, from then until its end', () => {
    const { learn, tell, reader } = fixture();
    const { got } = reader(3);
    tell({ percent: 1 });
    expect(got).toEqual([]);
    learn([RUN, start(0)]);
    tell({ percent: 2 });
    tell({ percent: 3, position: 1 });
    learn([RUN, start(0), complete(0)]);
    tell({ percent: 4 });
    learn([RUN, start(0), complete(0)]);
    expect(got).toEqual(['p.0 l0 1', 'p.0 l0 2']);
  });

  it('leaves out who lags behind, whose socket is full, and who is of another company', () => {
    const { learn, tell, reader } = fixture();
    const [there, behind, full] = [reader(3), reader(2), reader(3)];
    full.sink.isFull = true;
    learn([RUN, start(0)]);
    tell();
    tell({}, 'another');
    expect([there.got.length, behind.got, full.got]).toEqual([1, [], []]);
  });

  it('lets percentages rise, and begin anew with the next attempt', () => {
    const { learn, tell, reader } = fixture();
    const { got } = reader(3);
    learn([RUN, start(0)]);
    for (const [attempt, percent] of [
      [1, 40],
      [1, 30],
      [1, 50],
      [2, 10],
      [1, 90],
    ] as const)
      tell({ attempt, percent });
    expect(got.map((line) => line.split(' ')[2])).toEqual(['40', '50', '10']);
  });

  it('is not set back by an older read that comes later', () => {
    const { learn, tell, reader } = fixture();
    const { got } = reader(4);
    learn([RUN, start(0), complete(0)]);
    learn([RUN, start(0)]);
    tell();
    expect(got).toEqual([]);
  });

  it('tells of a parked delay whenever a percent of its time has passed, and a newcomer at once', () => {
    const { learn, reader, after } = fixture();
    const first = reader(3);
    const until = new Date(at.getTime() + 200_000);
    const wait: LayerWait = { position: 0, ref: 'l0', kind: 'delay', since: at, until };
    const parked = () => learn([RUN, start(0)], { 0: wait });
    parked();
    for (const ms of [1_000, 2_000, 3_000, 4_000]) after(ms);
    expect(first.got).toEqual(['p.0 l0 0', 'p.0 l0 1', 'p.0 l0 2']);
    const newcomer = reader(3);
    parked();
    after(5_000);
    expect(newcomer.got).toEqual(['p.0 l0 2']);
    after(300_000);
    after(301_000);
    expect(newcomer.got.slice(1)).toEqual(['p.0 l0 100']);
  });

  it('tells nothing of the time of an approval, an event or a pause between attempts', () => {
    const { learn, reader, after } = fixture();
    const { got } = reader(3);
    const until = new Date(at.getTime() + 1_000);
    for (const kind of ['event', 'approval', 'retry'] as const)
      learn([RUN, start(0)], { 0: { position: 0, ref: 'l0', kind, since: at, until } });
    after(500);
    expect(got).toEqual([]);
  });

  it('brings what a layer says while it runs, and what came before its start was read', () => {
    const { learn, say, reader } = fixture();
    const { got } = reader(3);
    say({ text: 'I ' });
    expect(got).toEqual([]);
    learn([RUN, start(0)]);
    say({ at: 2, text: 'look' });
    say({ at: 2, text: 'look' }, 'another');
    say({ answer: 1, text: 'Found.' });
    learn([RUN, start(0), complete(0)]);
    say({ answer: 1, at: 6, text: ' More' });
    expect(got).toEqual(['0 0 I ', '0 2 look', '1 0 Found.']);
  });

  it('gives a slow reader, and a newcomer, with the next piece what they lack of the answer, and no more than its end', () => {
    const { learn, say, reader } = fixture();
    const slow = reader(3);
    learn([RUN, start(0)]);
    slow.sink.isFull = true;
    say({ text: 'a'.repeat(10_000) });
    say({ at: 10_000, text: 'b'.repeat(10_000) });
    expect(slow.got).toEqual([]);
    slow.sink.isFull = false;
    say({ at: 20_000, text: 'c' });
    const newcomer = reader(3);
    say({ at: 20_001, text: 'd' });
    expect(slow.got).toEqual([`0 4001 ${'a'.repeat(5_999)}${'b'.repeat(10_000)}c`, '0 20001 d']);
    expect(newcomer.got).toEqual([`0 4002 ${'a'.repeat(5_998)}${'b'.repeat(10_000)}cd`]);
  });

  it('begins again with an answer that is asked for again, and goes on after what was lost', () => {
    const { learn, say, reader } = fixture();
    const { got } = reader(3);
    learn([RUN, start(0)]);
    say({ text: 'One' });
    say({ at: 7, text: 'two' });
    say({ text: 'Again' });
    expect(got).toEqual(['0 0 One', '0 7 two', '0 0 Again']);
  });

  it('listens to a company as long as one of its plays is watched', () => {
    const { relay, play, listeners } = fixture();
    const second = { ...play, playId: 'q' };
    relay.follow(second);
    relay.unfollow(play);
    expect([...listeners.keys()]).toEqual(['c']);
    relay.unfollow(second);
    relay.unfollow(second);
    expect([...listeners.keys()]).toEqual([]);
  });
});
