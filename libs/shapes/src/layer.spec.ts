import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LAYER_FIELDS, layerOptionsJsonSchema, layerShape, shownLayer } from './layer.js';

const parse = (fields: object) => layerShape.parse({ ref: 'a', appId: 'code', ...fields });
const isTaken = (fields: object) => layerShape.safeParse({ ref: 'a', appId: 'code', ...fields }).success;

it('has what holds for each option that is left out', () => {
  const options = { when: null, retry: null, timeoutMs: null, onError: 'fail', onInterrupted: 'repeat', forEach: null };
  expect(parse({})).toEqual({ ref: 'a', appId: 'code', args: {}, ...options, stage: null });
});

it('lets no pause of a retry be shorter than it begins, where its longest is left out', () => {
  expect(parse({ retry: { attempts: 2, delayMs: 90_000 } }).retry).toMatchObject({ maxDelayMs: 90_000 });
  expect(parse({ retry: { attempts: 2 } }).retry).toMatchObject({ delayMs: 1_000, maxDelayMs: 60_000 });
});

it('makes the same of what it has made', () => {
  const given = { retry: { attempts: 2, on: ['429'] }, forEach: { in: '{{ .x }}', onItemError: 'fail' } };
  const layer = parse(given);
  expect(layer.forEach).toEqual({ in: '{{ .x }}', concurrency: 1 });
  expect(layerShape.parse(layer)).toEqual(layer);
});

it.each([
  ['a ref that is not a name', { ref: '9 lives!' }],
  ['the ref of the arguments', { ref: 'args' }],
  ['1,000 attempts', { retry: { attempts: 1_000 } }],
  ['a pause of 30 days', { retry: { attempts: 2, delayMs: 30 * 86_400_000 } }],
  ['a field that it does not know', { colour: 'red' }],
])('refuses %s', (_what, fields) => {
  expect(isTaken({})).toBe(true);
  expect(isTaken(fields)).toBe(false);
});

it('is shown with every field', () => {
  const shown = shownLayer({ ...parse({}), name: 'A' });
  expect(Object.keys(shown)).toEqual(LAYER_FIELDS);
  expect(shown.repeat).toBeNull();
});

it('has the schema from which the dashboard makes its form (npm run docs writes it anew)', () => {
  const written = readFileSync('apps/dashboard/src/editor/layer-options.json', 'utf8');
  expect(JSON.parse(written)).toEqual(layerOptionsJsonSchema());
});
