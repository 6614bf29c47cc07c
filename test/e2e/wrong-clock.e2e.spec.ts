import { ApiClient, scratchFolder } from '@weft/testing';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { faketimeEnv, findFaketime } from '#tools/servers/index.mjs';
import { sharedFleet } from './harness/fleet.js';

const { one, add } = await sharedFleet();

async function offsetOf({ url }: { readonly url: string }): Promise<number> {
  const { body } = await new ApiClient(url).send<string>('GET', '/metrics');
  return Number(/^weft_clock_offset_seconds (\S+)$/m.exec(body)?.[1]);
}

it('shows by how much the clock of a machine is ahead of or behind MongoDB’s, and that of others is right', async () => {
  const file = join(scratchFolder('clock'), 'clock');
  writeFileSync(file, '-600s\n');
  const library = await findFaketime({ env: process.env, log: () => undefined });
  const wrong = await add('realtime', { env: faketimeEnv({ library, file }) });
  expect(await offsetOf(wrong)).toBeCloseTo(-600, -1);
  expect(await offsetOf(one('realtime'))).toBeCloseTo(0, -1);
});
