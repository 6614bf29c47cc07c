import { describe, expect, it } from 'vitest';
import { begin, changed, redone, undone } from './history';

describe('the history of a draft', () => {
  it('goes back and forth step by step', () => {
    const two = changed(changed(begin('a'), 'b', 0), 'c', 1);
    const one = undone(two);
    expect(one?.now).toBe('b');
    const none = one && undone(one);
    expect(none?.now).toBe('a');
    expect(none && undone(none)).toBeNull();
    expect(one && redone(one)?.now).toBe('c');
    expect(redone(two)).toBeNull();
  });

  it('takes typing in one field as one step, until there is a pause or another field', () => {
    let typed = changed(begin(''), 'h', 0, 'name');
    typed = changed(typed, 'he', 200, 'name');
    expect(typed.past).toEqual(['']);
    expect(changed(typed, 'hey', 400, 'ref').past).toEqual(['', 'he']);
    expect(changed(typed, 'hey', 5_000, 'name').past).toEqual(['', 'he']);
  });

  it('forgets what was taken back when something else is done', () => {
    const back = undone(changed(begin('a'), 'b', 0));
    expect(back && changed(back, 'c', 1).future).toEqual([]);
  });

  it('keeps a bounded number of steps', () => {
    let history = begin(0);
    for (let i = 1; i <= 500; i += 1) history = changed(history, i, i);
    expect(history.past).toHaveLength(200);
    expect(history.past[0]).toBe(300);
  });
});
