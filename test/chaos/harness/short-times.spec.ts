import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { inRoot } from '#tools/setup/root.mjs';
import { SHORT_TIMES_ENV, TIMES } from './short-times.js';

it('gives a process of the product a third of the times of the protocol', async () => {
  const file = inRoot('dist', 'libs', 'engine', 'src', 'times.js');
  const program = `import { PROTOCOL_TIMES } from ${JSON.stringify(file)}; console.log(JSON.stringify(PROTOCOL_TIMES));`;
  const args = ['--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...SHORT_TIMES_ENV } });
  expect(JSON.parse(stdout)).toEqual(TIMES);
  expect(TIMES).toMatchObject({ leaseMs: 5_000, renewMs: 1_333, lockMs: 10_000 });
});
