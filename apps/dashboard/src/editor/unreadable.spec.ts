import { describe, expect, it } from 'vitest';
import { aDraft } from './draft.fixture';
import { stillThere, withoutItem, withText } from './unreadable';

const TEXTS = new Map([
  ['k args.list.0', '{'],
  ['k args.list.1.body', '['],
  ['k args.list.10', '"'],
  ['k args.list.x', 'a'],
  ['k args.lists.1', 'b'],
  ['other args.list.1', 'c'],
]);

describe('a text that cannot be read yet', () => {
  it('goes with its field, and takes along what was typed within that', () => {
    expect([...withText(TEXTS, 'k args.list', null).keys()]).toEqual(['k args.lists.1', 'other args.list.1']);
    expect(withText(TEXTS, 'k args.none', null)).toBe(TEXTS);
    expect(withText(TEXTS, 'k args.list', '{').get('k args.list')).toBe('{');
  });

  it('stays with its item when one before it is removed, and goes with its own', () => {
    expect(Object.fromEntries(withoutItem(TEXTS, 'k args.list', 0))).toEqual({
      'k args.list.0.body': '[',
      'k args.list.9': '"',
      'k args.list.x': 'a',
      'k args.lists.1': 'b',
      'other args.list.1': 'c',
    });
    expect([...withoutItem(TEXTS, 'k args.list', 5).keys()]).toEqual([
      'k args.list.0',
      'k args.list.1.body',
      'k args.list.9',
      'k args.list.x',
      'k args.lists.1',
      'other args.list.1',
    ]);
  });

  it('does not move to another item by undo', () => {
    const [one, two] = [{ n: 1 }, { n: 2 }];
    const layers = (...list: readonly unknown[]) => [aDraft('a', { args: { list, 'a.b': one } })];
    const texts = new Map([
      ['id-a args.list.0', '{'],
      ['id-a args.a.b', '['],
    ]);
    expect([...stillThere(texts, layers(one), layers(two, one)).keys()]).toEqual(['id-a args.a.b']);
    expect(stillThere(texts, layers(one), layers(one, two))).toBe(texts);
    expect(stillThere(texts, layers(one), []).size).toBe(0);
  });
});
