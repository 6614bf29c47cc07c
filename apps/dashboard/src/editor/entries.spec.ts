import { describe, expect, it } from 'vitest';
import { foundEntries } from './entries';
import type { Module } from './modules';

const module = (appId: string, title: string, description: string): Module => ({
  ...{ appId, title, description, icon: '', argsSchema: {}, outSchema: {}, examples: [] },
});
const ALL = [
  module('filter', 'Filter', 'Goes on only when a condition holds.'),
  module('web-request', 'Web request', 'Sends an HTTP request.'),
  module('text-template', 'Text template', 'Writes a text.'),
  module('transform', 'Transform', 'Computes a value.'),
];
const found = (text: string) => foundEntries(ALL, text).map(({ title }) => title);

describe('what can be added', () => {
  it('is found by all words, wherever these are', () => {
    expect(found('')).toEqual(['Filter', 'Web request', 'Text template', 'Transform']);
    expect(found(' HTTP  web')).toEqual(['Web request', 'Send JSON to a webhook']);
    expect(found('get json')[0]).toBe('Get JSON');
    expect(foundEntries(ALL, 'loop')[0]).toMatchObject({ title: 'For each item of a list', options: { forEach: {} } });
    expect(found('http text')).toEqual([]);
  });

  it('is found by other words, after what is called so', () => {
    expect(found('curl')).toEqual(['Web request']);
    expect(found('jsonata')).toEqual(['Transform']);
    expect(found('condition')[0]).toBe('Filter');
    expect(foundEntries([module('sql', 'SQL', 'Asks PostgreSQL.'), ...ALL], 'post').map(({ title }) => title)).toEqual([
      'Send JSON to a webhook',
      'Web request',
      'SQL',
    ]);
  });

  it('is also what people often want, as a layer that is begun', () => {
    expect(found('filter')).toEqual(['Filter', 'Filter a list']);
    expect(found('filter a list')).toEqual(['Filter a list']);
    expect(found('dedupe')).toEqual(['Remove duplicates of a list']);
    expect(foundEntries(ALL, 'filter a list')[0]).toMatchObject({
      module: { appId: 'transform' },
      args: { expression: '[$prev.args.items[active = true]]' },
    });
    // not where its module is not installed
    expect(foundEntries(ALL.slice(0, 3), 'filter a list')).toEqual([]);
  });
});
