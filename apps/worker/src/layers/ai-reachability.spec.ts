import { expect, it } from 'vitest';

import { AiReachability } from './ai-reachability.js';

it('says that models cannot be reached after five calls in a row, of agents too, that reached nobody, until one does or it is long ago', async () => {
  let nowMs = 0;
  const watch = new AiReachability(() => nowMs);
  const status = async () => (await watch.check()).status;
  const endAll = (codes: readonly (string | undefined)[], appId = 'ai-chat') =>
    codes.forEach((code) => watch.ended(appId, code));

  endAll(['timeout', 'connect_failed', 'timeout', 'timeout']);
  expect(await status()).toBe('healthy');
  endAll(['connect_failed'], 'web-request');
  expect(await status()).toBe('healthy');
  endAll(['connect_failed'], 'agent');
  expect(await watch.check()).toEqual({
    status: 'unhealthy',
    error: 'the last 5 calls of language models reached nobody',
  });
  endAll(['bad_status']);
  expect(await status()).toBe('healthy');
  endAll(['timeout', 'timeout', 'timeout', 'timeout', undefined, 'timeout']);
  expect(await status()).toBe('healthy');
  endAll(['timeout', 'timeout', 'timeout', 'timeout']);
  expect(await status()).toBe('unhealthy');
  nowMs += 5 * 60_000 + 1;
  expect(await status()).toBe('healthy');
});
