import { Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useLiveConnection } from '../live/live';
import { LiveChip } from '../live/live-chip';
import { useHalt } from '../session/expiry';
import { followTabs } from '../session/session';
import { SessionElsewhere } from '../session/session-elsewhere';
import { useMe } from '../session/me';
import { SessionExpired } from '../session/session-expired';
import { Icon } from '../ui/icon';
import { KeyboardSheet } from './keyboard-sheet';
import { Sidebar } from './sidebar';
import classes from './shell.module.css';

/** What is around every page of somebody who is signed in. */
export function Shell() {
  const me = useMe();
  const [isOpen, { open, close }] = useDisclosure(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isElsewhere = useHalt()?.why === 'elsewhere';
  useLiveConnection(me, !isElsewhere);
  useEffect(() => followTabs(me), [me]);
  useEffect(close, [path, close]);
  return (
    <div className={classes.shell} inert={isElsewhere}>
      <a href="#main" className={classes.skip}>
        To the content
      </a>
      <div className={classes.side}>
        <Sidebar />
      </div>
      <header className={classes.bar}>
        <button type="button" className={classes.burger} onClick={open} aria-label="Menu">
          <Icon name="menu" size={18} />
        </button>
        <span>Weft</span>
        <div className={classes.live}>
          <LiveChip />
        </div>
      </header>
      <Drawer opened={isOpen} onClose={close} size={264} title="Menu" padding={0}>
        <Sidebar />
      </Drawer>
      <main id="main" className={classes.main} tabIndex={-1}>
        <Outlet />
      </main>
      <KeyboardSheet />
      <SessionExpired />
      <SessionElsewhere />
    </div>
  );
}
