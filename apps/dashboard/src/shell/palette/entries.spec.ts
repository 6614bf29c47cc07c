import { expect, it } from 'vitest';
import type { Me } from '../../session/me';
import { matching, pageEntries, type Entry } from './entries';

const me = (role: string): Me => ({ roles: [role], operator: false }) as unknown as Me;
const titles = (entries: readonly Entry[]) => entries.map(({ title }) => title);
const nowhere = () => undefined;

it('offers only the pages that somebody may see', () => {
  expect(titles(pageEntries(me('admin'), nowhere))).toEqual(expect.arrayContaining(['Plays', 'Audit log', 'Webhooks']));
  expect(titles(pageEntries(me('viewer'), nowhere))).toEqual([
    'Plays',
    'Flows',
    'Schedules',
    'Approvals',
    'Documents',
    'Your account',
  ]);
});

it('finds what has every word, and begins with what begins so', () => {
  const entries = ['Audit log', 'Your account', 'Grants', 'Users'].map((title): Entry => ({
    ...{ key: title, group: 'Pages', icon: 'admin', title, note: 'Admin', run: nowhere },
  }));
  expect(titles(matching(entries, 'u'))).toEqual(['Users', 'Audit log', 'Your account']);
  expect(titles(matching(entries, 'admin log'))).toEqual(['Audit log']);
  expect(matching(entries, '')).toHaveLength(4);
});
