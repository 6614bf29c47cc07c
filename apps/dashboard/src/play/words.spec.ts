import { expect, it } from 'vitest';
import type { Play } from '../plays/play';
import type { PlayLayer } from './queries';
import { nowText, triggerText } from './words';

const layer = { ref: 'fetch', state: 'DONE' } as PlayLayer;
const done = { state: 'DONE', duration: null } as Play;

it('a play says how many layers are through, in one, none and several', () => {
  expect(nowText(done, [layer])).toBe('Its layer is through.');
  expect(nowText(done, [])).toBe('It has no layers, and is through.');
  expect(nowText(done, [layer, layer])).toBe('All 2 layers are through.');
  expect(nowText({ ...done, state: 'RUN' }, [layer])).toBe('It is running; 1 of 1 layer is through.');
});

it('what an agent has started says so', () => {
  expect(triggerText('mcp')).toBe('an agent');
});
