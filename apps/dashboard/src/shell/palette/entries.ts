/** What the palette offers without asking the server. Pure but for `pageCommands`. */
import type { LinkProps } from '@tanstack/react-router';
import { ADMIN_PAGES } from '../../admin/admin-pages';
import { may, type Me } from '../../session/me';
import type { IconName } from '../../ui/icon';
import { NAVIGATION } from '../navigation';

export interface Entry {
  readonly key: string;
  readonly group: string;
  readonly icon: IconName;
  readonly title: string;
  readonly note?: string;
  readonly run: () => void;
}

type Go = (to: NonNullable<LinkProps['to']>) => void;

export function pageEntries(me: Me, go: Go): readonly Entry[] {
  const pages = [
    ...NAVIGATION.map((page) => ({ ...page, note: '' })),
    ...ADMIN_PAGES.map((page) => ({ ...page, icon: 'admin' as const, note: 'Admin' })),
  ].filter(({ rights }) => may(me, ...rights));
  return [...pages, { to: '/account' as const, label: 'Your account', icon: 'user' as const, note: '' }].map(
    ({ to, label, icon, note }) => ({
      ...{ key: to, group: 'Pages', icon, title: label, run: () => go(to) },
      ...(note !== '' && { note }),
    }),
  );
}

/** The commands and tabs that the page shows now: each is pressed where it is. */
export function pageCommands(main: ParentNode): readonly Entry[] {
  const found = [...main.querySelectorAll<HTMLElement>('[data-commands] :is(button, a), [role=tab]')];
  return found
    .filter((each) => !each.matches(':disabled'))
    .map((each, i) => ({ each, i, title: (each.getAttribute('aria-label') ?? each.textContent).trim() }))
    .filter(({ title }) => title !== '')
    .map(({ each, i, title }) => ({
      ...{ key: `command ${i}`, group: 'On this page', icon: 'chevron' as const, title },
      ...(each.role === 'tab' && { note: 'tab' }),
      run: () => each.click(),
    }));
}

/** Those in which every word of the text is; those that begin with it first. */
export function matching(entries: readonly Entry[], text: string): readonly Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = ({ title, note = '' }: Entry): boolean => {
    const all = `${title} ${note}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
  const begins = ({ title }: Entry): number => (title.toLowerCase().startsWith(words[0] ?? '') ? 0 : 1);
  return entries.filter(has).toSorted((a, b) => begins(a) - begins(b));
}
