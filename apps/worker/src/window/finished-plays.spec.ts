import { warnRarely } from '@weft/observability';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { FinishedPlays } from './finished-plays.js';

it('counts its failures in the log, also where many plays are removed at once', async () => {
  const lines: { times: unknown }[] = [];
  const log = pino({}, { write: (line) => lines.push(JSON.parse(line) as { times: unknown }) });
  const window = { finish: () => Promise.reject(new Error('Redis is unreachable')) };
  const refiller = { refillSoon: () => undefined, settled: () => Promise.resolve() };
  const finished = new FinishedPlays(window, refiller, () => 10, warnRarely(log, 'worker', 'could not'));
  finished.add('a company', 'one');
  finished.add('a company', 'two');
  await finished.settled();
  expect(lines.map(({ times }) => times)).toEqual([1]);
});
