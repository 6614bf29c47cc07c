import type { LoopKey } from '@weft/persistence';
import { expect, it } from 'vitest';
import { LoopScan } from './loop-scan.js';

const loops = Array.from({ length: 450 }, (_, n): LoopKey => ({
  ...{ companyId: 'c', flowId: 'f', position: 0 },
  playId: `p${String(n).padStart(3, '0')}`,
}));

it('looks at every loop in turn, also after one that cannot be notified, and begins again', async () => {
  const seen: string[] = [];
  const faults: unknown[] = [];
  const scan = new LoopScan({
    withEnds: (after, limit) =>
      Promise.resolve(loops.filter(({ playId }) => playId > (after?.playId ?? '')).slice(0, limit)),
    notify: ({ playId }) => {
      seen.push(playId);
      return playId === 'p007' ? Promise.reject(new Error('no room in its play')) : Promise.resolve();
    },
    onFault: (error) => faults.push(error),
  });
  for (let pass = 0; pass < 3; pass += 1) await scan.pass();
  expect(seen).toEqual(loops.map(({ playId }) => playId));
  expect(faults).toEqual([new Error('no room in its play')]);
  await scan.pass();
  expect(seen).toHaveLength(650);
});
