import { ActionIcon, Menu } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../ui/icon';

export type Command = readonly [label: string, run: () => void];

interface MenuButtonProps {
  readonly label: string;
  readonly commands: () => readonly Command[];
}

/** The menu is made when it is asked for: one in each row and field would make large flows slow. */
export function MenuButton({ label, commands }: MenuButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const button = (
    <ActionIcon
      size={24}
      aria-label={label}
      aria-haspopup="menu"
      {...(!isOpen && { 'aria-expanded': false, onClick: () => setOpen(true) })}
    >
      <Icon name="more" size={14} />
    </ActionIcon>
  );
  if (!isOpen) return button;
  return (
    <Menu opened onChange={setOpen} position="bottom-end">
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {commands().map(([name, run]) => (
          <Menu.Item key={name} onClick={run}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
