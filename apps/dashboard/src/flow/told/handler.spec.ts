import { expect, it } from 'vitest';
import { keyOf } from './handler';

it('gives each link and address a key of its own, and the same the same', () => {
  const mail = (to: string) => keyOf({ by: 'mail', link: 'l1', to }, false);
  expect(mail('a.b@x.org')).toBe(mail('A.b@x.org'));
  expect(
    new Set([
      mail('a.b@x.org'),
      mail('a-b@x.org'),
      mail('ab@x.org'),
      keyOf({ by: 'message', link: 'l1' }, false),
      keyOf({ by: 'message', link: 'l1' }, true),
    ]).size,
  ).toBe(5);
  expect(mail('a.b@x.org')).toMatch(/^[a-z0-9-]{1,40}$/);
});
