import type { LayerCall } from '@weft/layers';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { logFaults } from './log-faults.js';

it('a fault of the program is logged with its play and its place, and without what it says', () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const play = { _id: 'p1', company_id: 'c1', flowId: 'f1' };
  logFaults(log)({ play } as LayerCall, new TypeError('cannot read secret\nat the second line'));
  const [line] = lines.map((each) => JSON.parse(each) as Record<string, unknown>);
  expect(line).toMatchObject({ play_id: 'p1', component: 'layers', fault: { name: 'TypeError' } });
  expect((line?.fault as { at: string[] }).at[0]).toMatch(/^at .*log-faults\.spec\.ts/);
  expect(lines.join()).not.toContain('secret');
});
