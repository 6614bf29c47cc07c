import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Subscriptions, MAX_SUBSCRIPTIONS, type SubscriptionSubject } from './subscriptions.js';

const told: SubscriptionSubject = { playId: 'p1', flowId: 'f1', ref: 'a', state: 'RUN', kind: 'layer' };
const of = (...messages: readonly object[]) => {
  const subscriptions = new Subscriptions();
  const outcomes = messages.map((one) => subscriptions.apply(JSON.stringify(one)));
  return { outcomes, wants: (over: Partial<SubscriptionSubject> = {}) => subscriptions.wants({ ...told, ...over }) };
};
const subscribe = (wish: object) => ({ action: 'subscribe', ...wish });
const unsubscribe = (wish: object = {}) => ({ action: 'unsubscribe', ...wish });

describe('subscriptions', () => {
  it('let everything through until there is one', () => {
    expect(of().wants()).toBe(true);
    expect(of(subscribe({ playIds: ['p2'] })).wants()).toBe(false);
    expect(of(subscribe({ playIds: ['p2'] }), unsubscribe()).wants()).toBe(true);
  });

  it('hold every list that is given', () => {
    const { wants } = of(subscribe({ flowIds: ['f1', 'f2'], refs: ['a'], states: ['DONE', 'RUN'] }));
    expect([wants(), wants({ flowId: 'f2', state: 'DONE' })]).toEqual([true, true]);
    expect([wants({ flowId: 'f3' }), wants({ ref: 'b' }), wants({ ref: null }), wants({ state: 'FAIL' })]).toEqual(
      Array(4).fill(false),
    );
  });

  it('hold the kinds that are given; acceptances are for those who give one', () => {
    const play = { ref: null, kind: 'play' } as const;
    const acceptance = { ...play, kind: 'acceptance', state: 'NEW' } as const;
    const shown = ({ wants }: ReturnType<typeof of>) => [wants(), wants(play), wants(acceptance)];
    expect(shown(of())).toEqual([true, true, false]);
    expect(shown(of(subscribe({})))).toEqual([true, true, false]);
    expect(shown(of(subscribe({ flowIds: ['f1'] })))).toEqual([true, true, false]);
    expect(shown(of(subscribe({ kinds: ['play'] })))).toEqual([false, true, true]);
    expect(shown(of(subscribe({}), subscribe({ kinds: ['play'] })))).toEqual([true, true, true]);
    expect(shown(of(subscribe({ flowIds: ['f1'], kinds: ['play'] })))).toEqual([false, true, true]);
    expect(shown(of(subscribe({ flowIds: ['f2'], kinds: ['play'] })))).toEqual([false, false, false]);
    expect(shown(of(subscribe({ kinds: ['layer'] })))).toEqual([true, false, false]);
    expect(of(subscribe({ kinds: ['flow'] }), subscribe({ kinds: [] })).outcomes).toEqual(['bad', 'bad']);
  });

  it('add up, and go one by one as they came', () => {
    const first = { playIds: ['p1', 'p3'] };
    const both = of(subscribe(first), subscribe({ playIds: ['p2'] }));
    expect([both.wants(), both.wants({ playId: 'p2' }), both.wants({ playId: 'p4' })]).toEqual([true, true, false]);
    const one = of(subscribe(first), subscribe({ playIds: ['p2'] }), unsubscribe({ playIds: ['p3', 'p1'] }));
    expect([one.wants(), one.wants({ playId: 'p2' })]).toEqual([false, true]);
  });

  it('let through what one of them lets through, in whatever combination of lists', () => {
    const some = (...names: readonly string[]) =>
      fc.option(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }), { nil: undefined });
    const wish = fc.record({
      playIds: some('p1', 'p2'),
      flowIds: some('f1', 'f2'),
      refs: some('a', 'b'),
      states: some('RUN', 'DONE'),
    });
    const one = fc.record({
      playId: fc.constantFrom('p1', 'p2', 'p3'),
      flowId: fc.constantFrom('f1', 'f2', 'f3'),
      ref: fc.constantFrom('a', 'b', null),
      state: fc.constantFrom('RUN', 'DONE', 'FAIL'),
    });
    const property = fc.property(fc.array(wish, { maxLength: 4 }), one, (wishes, frame) => {
      const has = (list: readonly string[] | undefined, name: string | null) => !list || list.includes(name ?? '');
      const wanted = wishes.some(
        ({ playIds, flowIds, refs, states }) =>
          has(playIds, frame.playId) && has(flowIds, frame.flowId) && has(refs, frame.ref) && has(states, frame.state),
      );
      expect(of(...wishes.map(subscribe)).wants(frame)).toBe(wanted || wishes.length === 0);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('are at most a thousand names a socket, and the same one counts once', () => {
    const names = (count: number, prefix = 'p') => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
    const many = subscribe({ playIds: names(MAX_SUBSCRIPTIONS) });
    expect(of(many, many).outcomes).toEqual(['ok', 'ok']);
    expect(of(many, subscribe({ refs: ['a'] })).outcomes).toEqual(['ok', 'many']);
    expect(of(subscribe({ playIds: names(MAX_SUBSCRIPTIONS + 1) })).outcomes).toEqual(['many']);
    expect(of(many, unsubscribe(), subscribe({ playIds: names(900, 'q') })).outcomes).toEqual(['ok', 'ok', 'ok']);
  });

  it.each([
    'null',
    '[]',
    '{',
    '{"action":"subscribe","playIds":"p"}',
    '{"action":"subscribe","playIds":[]}',
    '{"action":"subscribe","playIds":[1]}',
    '{"action":"subscribe","states":["GONE"]}',
    '{"action":"subscribe","plays":["p"]}',
    '{"action":"close"}',
    '{"playIds":["p"]}',
  ])('refuse %s, and stay as they are', (text) => {
    const subscriptions = new Subscriptions();
    subscriptions.apply('{"action":"subscribe","playIds":["p1"]}');
    expect(subscriptions.apply(text)).toBe('bad');
    expect([subscriptions.wants(told), subscriptions.wants({ ...told, playId: 'p2' })]).toEqual([true, false]);
  });
});
