import { describe, expect, it } from 'vitest';
import { eventTopic, positionsWaitingFor, topicsOfEvent, type LayerWait } from './layer-outcome.js';

const since = new Date('2030-01-01T00:00:00.000Z');
const event = (position: number, name: string, key: string | null): LayerWait => ({
  ...{ position, ref: `r${position}`, kind: 'event', since, until: null },
  event: { name, key },
});
const WAITS: Readonly<Record<string, LayerWait>> = {
  '0': event(0, 'paid', 'order-1'),
  '1': event(1, 'paid', null),
  '2': event(2, 'sent', 'order-1'),
  '3': { position: 3, ref: 'r3', kind: 'delay', since, until: since },
};

describe('positionsWaitingFor an event', () => {
  it.each([
    ['paid', 'order-1', [0, 1]],
    ['paid', 'order-2', [1]],
    ['paid', null, [1]],
    ['sent', 'order-1', [2]],
    ['sent', null, []],
    ['delay', null, []],
  ] as const)('%s with key %s: %o', (name, key, positions) => {
    expect(positionsWaitingFor({ waits: WAITS }, topicsOfEvent(name, key))).toEqual(positions);
  });

  it('leaves out what has its answer, and is nothing for a play that waits for nothing', () => {
    const topics = topicsOfEvent('paid', 'order-1');
    expect(positionsWaitingFor({ waits: WAITS, inbox: { '0': null } }, topics)).toEqual([1]);
    expect(positionsWaitingFor({}, topics)).toEqual([]);
  });

  it('leaves out what began to wait after the moment that is asked for', () => {
    const topics = topicsOfEvent('paid', 'order-1');
    const waits = { ...WAITS, '1': { ...event(1, 'paid', null), since: new Date(since.getTime() + 1) } };
    expect(positionsWaitingFor({ waits }, topics, since)).toEqual([0]);
    expect(positionsWaitingFor({ waits }, topics)).toEqual([0, 1]);
  });

  it('keeps names and keys apart', () => {
    expect(eventTopic('a', 'b:c')).not.toBe(eventTopic('a:b', 'c'));
  });
});
