import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { may, useMe } from '../session/me';
import { EmptyState } from '../ui/empty-state';
import { ADMIN_PAGES } from './admin-pages';
import classes from './admin.module.css';

const GROUPS = ['People', 'Company', 'Installation'] as const;

/** The pages of those who run a company or the installation, side by side. */
export function AdminLayout() {
  const me = useMe();
  const nav = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // on a narrow screen the menu is a row that scrolls
  useEffect(() => {
    nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [path]);
  const pages = ADMIN_PAGES.filter(({ rights }) => may(me, ...rights));
  if (pages.length === 0) return <Outlet />;
  return (
    <div className={classes.layout}>
      <nav ref={nav} aria-label="Admin" className={classes.nav}>
        {GROUPS.filter((group) => pages.some((page) => page.group === group)).map((group) => (
          <Group key={group} name={group} pages={pages.filter((page) => page.group === group)} />
        ))}
      </nav>
      <Outlet />
    </div>
  );
}

function Group({ name, pages }: { readonly name: string; readonly pages: typeof ADMIN_PAGES }) {
  return (
    <>
      <div className={classes.group}>{name}</div>
      {pages.map(({ to, label }) => (
        <Link key={to} to={to} className={classes.link}>
          {label}
        </Link>
      ))}
    </>
  );
}

/** Where somebody came to whom none of the pages is open. */
export function NoAdminPage() {
  return (
    <EmptyState title="Nothing here for your role">
      <p>Admins, audit viewers, integration managers and operators find their pages here.</p>
    </EmptyState>
  );
}
