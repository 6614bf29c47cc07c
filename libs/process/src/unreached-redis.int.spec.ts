import { sayWhy } from '@weft/observability';
import { openRedis, watchErrors } from '@weft/redis';
import { liveRedis } from '@weft/testing';
import { expect, it, onTestFinished } from 'vitest';

const nobody = '127.0.0.1:1';
const { host } = new URL(liveRedis().url);

it.each([
  [`redis://${nobody}`, 'connection failed (ECONNREFUSED)'],
  [`redis+cluster://${nobody}`, `${nobody}: connection failed (ECONNREFUSED)`],
  ['redis+cluster://nobody.invalid:6379', /^nobody\.invalid:6379: name not resolved \((ENOTFOUND|EAI_AGAIN)\)$/],
  [`redis+cluster://${host}`, 'NOAUTH Authentication required.'],
  [`redis+sentinel://${nobody}/plays`, 'no Sentinel can be reached: connection failed (ECONNREFUSED)'],
  [`redis+sentinel://${host}/plays`, /^no Sentinel answers as one: NOAUTH /],
  [`rediss+sentinel://${host}/plays`, /^no Sentinel can be reached: /],
])('%s: %s', async (url, said) => {
  const redis = openRedis(url, 'commands', 'spec');
  onTestFinished(() => redis.disconnect());
  const lastError = watchErrors(redis);
  await expect.poll(() => sayWhy(lastError()), { timeout: 8_000 }).toMatch(said);
});
