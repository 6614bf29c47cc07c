import { Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { roleOf, ROLE_NAMES, useMe } from '../session/me';
import { signOut } from '../session/session';
import { Icon } from '../ui/icon';
import { showError } from '../ui/show-error';
import classes from './sidebar.module.css';

const SCHEMES: readonly (readonly [MantineColorScheme, string])[] = [
  ['auto', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export function UserMenu() {
  const me = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leave = useMutation({ mutationFn: signOut, onError: showError });
  return (
    <Menu width="target" position="top-start">
      <Menu.Target>
        <button type="button" className={`${classes.button} ${classes.two}`}>
          <Icon name="user" />
          <span>
            <div className="clip" dir="auto">
              {me.user.name ?? me.user.email}
            </div>
            <div className="soft">{ROLE_NAMES[roleOf(me)]}</div>
          </span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/account" leftSection={<Icon name="user" size={14} />}>
          Your account
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {SCHEMES.map(([scheme, label]) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            rightSection={colorScheme === scheme ? <Icon name="check" size={14} /> : null}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="out" size={14} />} onClick={() => leave.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
