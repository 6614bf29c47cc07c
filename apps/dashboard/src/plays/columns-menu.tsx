import { Button, Menu } from '@mantine/core';
import { Icon } from '../ui/icon';
import { COLUMNS, shownColumns, withColumn } from './columns';
import type { PlaysPageSearch } from './plays-search';

interface ColumnsMenuProps {
  readonly search: PlaysPageSearch;
  readonly onChange: (search: PlaysPageSearch) => void;
}

/** Which columns the list has; the address keeps the choice. */
export function ColumnsMenu({ search, onChange }: ColumnsMenuProps) {
  const shown = new Set(shownColumns(search).map(({ id }) => id));
  return (
    <Menu position="bottom-end" alignItemsLabels="all">
      <Menu.Target>
        <Button variant="default" rightSection={<Icon name="down" size={13} />}>
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {COLUMNS.map(({ id, title }) => (
          <Menu.CheckboxItem
            key={id}
            checked={shown.has(id)}
            checkIcon={<Icon name="check" size={14} />}
            onChange={() => onChange(withColumn(search, id))}
          >
            {title}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
