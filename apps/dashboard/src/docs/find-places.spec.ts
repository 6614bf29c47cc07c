import { expect, it } from 'vitest';
import { findPlaces } from './find-places';

const page = (path: string, title: string, ...places: readonly string[]) => ({
  ...{ path, title },
  places: places.map((text) => ({ id: text.toLowerCase(), text, level: 2 })),
});
const PAGES = [
  page('adr/0046', 'Retry as a new play of the same chain'),
  page('plays', 'Plays', 'Failures, retries and crashes', 'Labels'),
  page('layers', 'Layers', 'retry', 'Pages'),
  page('retry', 'How to retry'),
];
const SAID = new Map([['plays', ['all of them', 'what happens after a crash', 'for retried plays, too']]]);
const found = (text: string) =>
  findPlaces(PAGES, SAID, text).map((each) => [each.page.path, ...(each.place ? [each.place.id] : [])].join('#'));

it('finds pages by their title, then headings, then texts, then decisions', () => {
  expect(found('Retr')).toEqual([
    'retry',
    'plays#failures, retries and crashes',
    'layers#retry',
    'plays#labels',
    'adr/0046',
  ]);
});

it('wants every word, in the text, the heading or the title of its page', () => {
  expect(found('labels plays')).toEqual(['plays#labels']);
  expect(found('crash happens')).toEqual(['plays#failures, retries and crashes']);
  expect(found('them')).toEqual(['plays']);
  expect(found('labels layers')).toEqual([]);
  expect(found(' ')).toEqual([]);
});
