import { journal, type LogEntry } from '@weft/engine';
import { describe, expect, it } from 'vitest';
import { orderOf, orderOfOther, wants } from './delivery.js';
import { dataOf, eventsOfPlay, type EventSource } from './play-events.js';

const at = new Date('2026-11-24T09:00:00.000Z');
const later = new Date('2026-11-24T09:00:02.500Z');
const log: LogEntry[] = [
  { seq: 1, type: 'accepted', at },
  { seq: 2, type: 'state', from: 'NEW', state: 'RUN', at },
  { seq: 3, type: 'claimed', at },
  { seq: 4, type: 'state', from: 'RUN', state: 'WAIT', at },
  { seq: 5, type: 'resumed', layer: 0, at },
  { seq: 6, type: 'state', from: 'WAIT', state: 'RUN', at },
  { seq: 7, type: 'state', from: 'RUN', state: 'FAIL', at: later },
  { seq: 8, type: 'end', state: 'FAIL', at: later },
];
const error = { code: 'internal', message: 'x', ref: 'one' };
const play: EventSource = {
  _id: 'p',
  flowId: 'f',
  log,
  completedAt: later,
  error,
  layers: [],
  labels: ['env:prod'],
};

describe('events of a play', () => {
  it('have the numbers of the frames that show the same changes', () => {
    const events = eventsOfPlay(log, 0, 8);
    expect(events.map(({ type, seq }) => [type, seq])).toEqual([
      ['play.accepted', 0],
      ['play.waiting', 2],
      ['play.failed', 4],
    ]);
    const states = journal(play).flatMap(({ seq, type, data }) =>
      type === 'play_state_change' ? [[seq, data.new_status]] : [],
    );
    expect(states).toEqual(expect.arrayContaining(events.slice(1).map(({ seq, state }) => [seq, state])));
  });

  it('are those of a range of the log', () => {
    expect(eventsOfPlay(log, 1, 4).map(({ type }) => type)).toEqual(['play.waiting']);
    expect(eventsOfPlay(log, 8, 8)).toEqual([]);
  });

  it('tell of an end its times and its error, and of what came before neither', () => {
    const [accepted, , failed] = eventsOfPlay(log, 0, 8).map((event) => dataOf(play, event, 'https://weft.test', true));
    expect(accepted).toMatchObject({ state: 'NEW', startedAt: null, completedAt: null, error: null });
    expect(accepted).not.toHaveProperty('out');
    expect(failed).toMatchObject({
      ...{
        playId: 'p',
        flowId: 'f',
        seq: 4,
        state: 'FAIL',
        duration: 2_500,
        error,
        labels: { env: 'prod' },
        out: null,
      },
      url: 'https://weft.test/api/v1/plays/p',
    });
  });
});

describe('an endpoint', () => {
  const all = { events: ['play.done', 'flow.changed'], flow_ids: null, labels: null } as const;
  const done = { type: 'play.done', flowId: 'f', labels: { env: 'prod' } } as const;

  it('wants events by type, flow and labels', () => {
    expect(wants(all, done)).toBe(true);
    expect(wants(all, { ...done, type: 'play.failed' })).toBe(false);
    expect(wants({ ...all, flow_ids: ['g'] }, done)).toBe(false);
    expect(wants({ ...all, labels: { env: 'prod' } }, done)).toBe(true);
    expect(wants({ ...all, labels: { env: 'test' } }, done)).toBe(false);
    expect(wants({ ...all, labels: { env: 'prod' } }, { type: 'play.done', flowId: 'f' })).toBe(false);
    expect(wants({ ...all, labels: { env: 'prod' } }, { type: 'flow.changed', flowId: 'f' })).toBe(true);
  });

  it('gets them in the order of the change log, as texts that sort', () => {
    const places = [orderOf(9, 0, 1), orderOf(10, 0, 1), orderOf(10, 2, 1), orderOf(10, 2, 40), orderOf(1e9, 0, 1)];
    expect([...places].reverse().sort()).toEqual(places);
  });

  it('gets other events between what the log had and what comes into it afterwards', () => {
    const places = [orderOf(9, 499, 1_000), orderOfOther(10, '06e1'), orderOfOther(10, '06e2'), orderOf(10, 0, 1)];
    expect([...places].reverse().sort()).toEqual(places);
  });
});
