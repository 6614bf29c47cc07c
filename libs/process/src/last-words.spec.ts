import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { lastWords } from './last-words.js';

function written(isTTY: boolean): string {
  let text = '';
  const out = Object.assign(new Writable({ write: (chunk, _encoding, done) => done(void (text += String(chunk))) }), {
    isTTY,
  });
  lastWords(
    'FATAL',
    'worker',
    'REDIS_URL: is not set\nMONGODB_URI: is not set',
    out as unknown as typeof process.stderr,
  );
  return text;
}

it('says why a process cannot start in one line of the log, and in plain words to a person', () => {
  expect(written(false)).toMatch(/^\{[^\n]*\}\n$/);
  expect(JSON.parse(written(false))).toEqual({
    ...{ level: 'FATAL', component: 'worker', message: 'REDIS_URL: is not set\nMONGODB_URI: is not set' },
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  });
  expect(written(true)).toBe('REDIS_URL: is not set\nMONGODB_URI: is not set\n');
});
