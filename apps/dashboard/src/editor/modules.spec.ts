import { describe, expect, it } from 'vitest';
import { foundModules, type Module } from './modules';

const module = (appId: string, title: string, description: string): Module => ({
  appId,
  title,
  description,
  icon: '',
  argsSchema: {},
  outSchema: {},
  examples: [],
});
const ALL = [
  module('web-request', 'Web request', 'Sends an HTTP request.'),
  module('text-template', 'Text template', 'Writes a text.'),
];

describe('the modules', () => {
  it('are found by all words, wherever these are', () => {
    const found = (text: string) => foundModules(ALL, text).map(({ appId }) => appId);
    expect(found('')).toEqual(['web-request', 'text-template']);
    expect(found(' HTTP  web')).toEqual(['web-request']);
    expect(found('http text')).toEqual([]);
    expect(found('get json')).toEqual(['web-request']);
  });
});
