import type { ReactNode } from 'react';
import type { RouteRight } from '@weft/access';
import { may, roleOf, ROLE_NAMES, useMe } from '../session/me';
import { EmptyState } from '../ui/empty-state';
import { Page } from '../ui/page';
import { ADMIN_PAGES } from './admin-pages';

interface AdminPageProps {
  /** Its place in the menu, which says who may see it. */
  readonly at: (typeof ADMIN_PAGES)[number]['to'];
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A page of the admin area; to those who may not see it, it says so, and nothing of it is read. */
export function AdminPage({ at, title, aside, children }: AdminPageProps) {
  const me = useMe();
  const { rights = [], help = 'docs/dashboard.md#admin' } = ADMIN_PAGES.find(({ to }) => to === at) ?? {};
  const isOpen = may(me, ...rights);
  return (
    <Page title={title} help={help} aside={isOpen && aside}>
      {isOpen ? (
        children
      ) : (
        <EmptyState title="This page is not for your role">
          <p>
            It is for {wordsOf(rights)}. You are: {ROLE_NAMES[roleOf(me)]}.
          </p>
        </EmptyState>
      )}
    </Page>
  );
}

function wordsOf(rights: readonly RouteRight[]): string {
  const words = rights.flatMap((right) => {
    if (right.kind === 'operator') return ['operators of the installation'];
    if (right.kind === 'specialist') return [`the role “${ROLE_NAMES[right.role]}”`, 'admins'];
    return ['admins'];
  });
  return [...new Set(words)].join(' and ');
}
