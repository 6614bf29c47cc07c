import type { components } from '@weft/client';
import { expect, it } from 'vitest';
import { whatChanged } from './what-changed';

type Version = components['schemas']['FlowVersion'];

const version = (n: number, flow: object): Version => ({ version: n, flow: { name: 'f', ...flow } }) as Version;

it('a version says what it changed, as far as its head tells', () => {
  const before = version(2, { enabled: true, settings: { concurrency: null } });
  const now = (flow: object) => version(3, { enabled: true, settings: { concurrency: null }, ...flow });
  expect(whatChanged(now({}), before)).toBe('layers');
  expect(whatChanged(now({ enabled: false }), before)).toBe('paused');
  expect(whatChanged(now({ name: 'g', settings: { concurrency: 5 } }), before)).toBe('name, settings');
  expect(whatChanged(now({}), undefined)).toBe('');
  expect(whatChanged(version(1, {}), undefined)).toBe('made');
});
