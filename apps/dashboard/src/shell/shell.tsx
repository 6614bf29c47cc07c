import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useToldHere } from '../flow/told/told-here';
import { useLiveConnection } from '../live/live';
import { LiveChip } from '../live/live-chip';
import { useHalt } from '../session/expiry';
import { followTabs } from '../session/session';
import { useMe } from '../session/me';
import { Icon } from '../ui/icon';
import { InTurns } from '../ui/in-turns';
import { Keys } from './keys';
import { openPalette } from './open-palette';
import { tellRefusedConsent } from './refused-consent';
import { Sidebar } from './sidebar';
import classes from './shell.module.css';

const Notifier = lazy(async () => ({ default: (await import('../flow/told/notifier')).Notifier }));
const MenuDrawer = lazy(async () => ({ default: (await import('./menu-drawer')).MenuDrawer }));
const SessionElsewhere = lazy(async () => ({
  default: (await import('../session/session-elsewhere')).SessionElsewhere,
}));
const SessionExpired = lazy(async () => ({ default: (await import('../session/session-expired')).SessionExpired }));

/** What is around every page of somebody who is signed in. */
export function Shell() {
  const me = useMe();
  const [menu, setMenu] = useState<'open' | 'closed' | null>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const halt = useHalt()?.why;
  const isToldHere = useToldHere().flows.length > 0;
  const isElsewhere = halt === 'elsewhere';
  useLiveConnection(me, !isElsewhere);
  useEffect(() => followTabs(me), [me]);
  useEffect(tellRefusedConsent, []);
  useEffect(() => setMenu((now) => now && 'closed'), [path]);
  return (
    <div className={classes.shell} inert={isElsewhere}>
      <a href="#main" className={classes.skip}>
        To the content
      </a>
      <div className={classes.side}>
        <InTurns>
          <Sidebar />
        </InTurns>
      </div>
      <header className={classes.bar}>
        <button type="button" className={classes.burger} onClick={() => setMenu('open')} aria-label="Menu">
          <Icon name="menu" size={18} />
        </button>
        <span>Weft</span>
        <div className={classes.live}>
          <InTurns>
            <LiveChip />
          </InTurns>
        </div>
        <button type="button" className={classes.burger} onClick={openPalette} aria-label="Find">
          <Icon name="search" size={18} />
        </button>
      </header>
      <Suspense>{menu !== null && <MenuDrawer isOpen={menu === 'open'} onClose={() => setMenu('closed')} />}</Suspense>
      <main id="main" className={classes.main} tabIndex={-1}>
        <InTurns>
          <Outlet />
        </InTurns>
      </main>
      <Keys />
      <Suspense>
        {isToldHere && <Notifier />}
        {halt === 'ended' && <SessionExpired />}
        {isElsewhere && <SessionElsewhere />}
      </Suspense>
    </div>
  );
}
