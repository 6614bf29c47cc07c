import { Link, useRouterState } from '@tanstack/react-router';
import { LiveChip } from '../live/live-chip';
import { may, useMe } from '../session/me';
import logo from '../theme/weft.svg';
import { Icon } from '../ui/icon';
import { InTurns } from '../ui/in-turns';
import { CompanySwitch } from './company-switch';
import { NAVIGATION } from './navigation';
import { openPalette } from './open-palette';
import { UserMenu } from './user-menu';
import classes from './sidebar.module.css';

export function Sidebar() {
  const me = useMe();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <div className={classes.sidebar}>
      <div className={classes.brand}>
        <img src={logo} alt="" width={22} height={22} />
        <span>Weft</span>
      </div>
      <CompanySwitch />
      <button type="button" className={`${classes.button} ${classes.find}`} onClick={openPalette}>
        <Icon name="search" size={14} />
        Find
        <kbd>Ctrl K</kbd>
      </button>
      <nav aria-label="Pages" className={classes.nav}>
        {NAVIGATION.filter(({ rights }) => may(me, ...rights)).map(({ to, label, icon, also }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: to === '/' }}
            className={classes.link}
            {...(also !== undefined && path.startsWith(also) && { 'data-status': 'active' })}
          >
            <Icon name={icon} />
            {label}
          </Link>
        ))}
      </nav>
      <InTurns>
        <LiveChip />
        <UserMenu />
      </InTurns>
    </div>
  );
}
