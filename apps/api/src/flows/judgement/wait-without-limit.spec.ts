import { aLayer } from '@weft/testing';
import { expect, it } from 'vitest';
import { waitWithoutLimit } from './wait-without-limit.js';

type Flow = Parameters<typeof waitWithoutLimit>[0];

const SETTINGS = { concurrency: null, timeoutMs: null } as unknown as Flow['settings'];
const waits = [aLayer('call', { appId: 'web-request' }), aLayer('child', { appId: 'run-flow', args: { flowId: 'f' } })];

it.each<[string, Partial<Flow['settings']>, Flow['layers'], string | null]>([
  ['has a lane', { lane: 'l' }, waits, 'settings.lane'],
  ['has a limit', { concurrency: 2 }, waits, 'settings.concurrency'],
  ['has a lane and a time limit', { lane: 'l', timeoutMs: 1_000 }, waits, null],
  ['has neither lane nor limit', { lane: null }, waits, null],
  ['waits for no play', { lane: 'l' }, [aLayer('child', { appId: 'run-flow', args: { wait: false } })], null],
])('a flow that %s', (_what, settings, layers, queue) => {
  const found = waitWithoutLimit({ settings: { ...SETTINGS, ...settings }, layers });
  const warning = { path: 'settings.timeoutMs', code: 'no_time_limit', message: expect.any(String) as string };
  expect(found).toEqual(queue === null ? [] : [warning]);
  if (queue !== null) expect(found[0]?.message).toContain(`the layer "child" waits for a play`);
  if (queue !== null) expect(found[0]?.message).toContain(queue);
});
