import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { asksForWebSocket, readFromSeq, readUpgradeRequest } from './upgrade-request.js';

const incoming = (url: string, headers: IncomingMessage['headers'] = {}) => ({ url, headers }) as IncomingMessage;

describe('a request for a socket', () => {
  it('keeps its path as it came, and knows its query', () => {
    const read = readUpgradeRequest(incoming('/ws/%2e%2e/plays/x?fromSeq=3?&a=b'), () => 'new');
    expect([read.path, [...read.query]]).toEqual([
      '/ws/%2e%2e/plays/x',
      [
        ['fromSeq', '3?'],
        ['a', 'b'],
      ],
    ]);
  });

  it('brings its id, or gets one', () => {
    const idOf = (id?: string) => readUpgradeRequest(incoming('/', { 'x-request-id': id }), () => 'new').requestId;
    expect([idOf('mine'), idOf('x'.repeat(128))]).toEqual(['mine', 'x'.repeat(128)]);
    expect([idOf(), idOf(''), idOf('a b'), idOf('x'.repeat(129)), idOf('é')]).toEqual(Array(5).fill('new'));
  });

  it('asks for a WebSocket, or is none of ours', () => {
    expect(asksForWebSocket(incoming('/', { upgrade: 'WebSocket' }))).toBe(true);
    expect(asksForWebSocket(incoming('/', { upgrade: 'h2c' }))).toBe(false);
    expect(asksForWebSocket(incoming('/'))).toBe(false);
  });

  it('may say from which number on it wants frames', () => {
    const from = (query: string) => readFromSeq(new URLSearchParams(query));
    expect([from(''), from('fromSeq=1'), from('fromSeq=0042'), from('fromSeq=999999999999999')]).toEqual([
      1, 1, 42, 999_999_999_999_999,
    ]);
    for (const bad of [
      'fromSeq=0',
      'fromSeq=-1',
      'fromSeq=1e3',
      'fromSeq=',
      'fromSeq= 1',
      'fromSeq=1&fromSeq=1',
      'x=1',
    ]) {
      expect(() => from(bad), bad).toThrow(expect.objectContaining({ code: 'invalid_query' }));
    }
    expect(() => from('fromSeq=9999999999999999')).toThrow();
  });
});
