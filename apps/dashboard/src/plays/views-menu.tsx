import { Button, Menu, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState, type SyntheticEvent } from 'react';
import { Icon } from '../ui/icon';
import { filterOf, isFiltered, readPlaysPageSearch, type PlaysPageSearch } from './plays-search';
import { useViews } from './views';
import classes from './plays.module.css';

/** Filters under names, kept in this browser. */
export function ViewsMenu({ search: asked }: { readonly search: PlaysPageSearch }) {
  // in the order of those that are kept, whatever the order of the address
  const search = readPlaysPageSearch({ ...asked });
  const { views, isFull, save, remove } = useViews();
  const [name, setName] = useState('');
  const current = JSON.stringify(search);
  const shown = views.find((view) => JSON.stringify(view.search) === current);
  const add = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (name.trim() === '') return;
    save({ name: name.trim(), search });
    setName('');
  };
  return (
    <Menu position="bottom-end" width={260} trapFocus>
      <Menu.Target>
        <Button variant="default" rightSection={<Icon name="down" size={13} />}>
          <span className="clip" dir="auto">
            {shown?.name ?? 'Views'}
          </span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {views.length === 0 && <Menu.Item disabled>Views of this browser: none is saved</Menu.Item>}
        {views.map((view) => (
          <Menu.Item
            key={view.name}
            renderRoot={(props) => <Link to="/plays" search={view.search} {...props} />}
            rightSection={view === shown ? <Icon name="check" size={14} /> : null}
          >
            <span dir="auto">{view.name}</span>
          </Menu.Item>
        ))}
        {shown && (
          <Menu.Item
            color="var(--state-fail)"
            leftSection={<Icon name="cross" size={14} />}
            onClick={() => remove(shown.name)}
          >
            Forget “{shown.name}”
          </Menu.Item>
        )}
        {!shown && isFiltered(search) && !isFull && (
          <form onSubmit={add} className={classes.view}>
            <TextInput
              aria-label="Name of the view"
              placeholder={`Save ${Object.keys(filterOf(search)).length === 1 ? 'this filter' : 'these filters'} as …`}
              maxLength={60}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              onKeyDown={(event) => event.stopPropagation()}
            />
            <Button type="submit">Save</Button>
          </form>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
