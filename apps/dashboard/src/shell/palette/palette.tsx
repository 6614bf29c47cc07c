import { TextInput, useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState, type KeyboardEvent } from 'react';
import { useMe } from '../../session/me';
import { Dialog } from '../../ui/dialog';
import { Icon } from '../../ui/icon';
import { useViews } from '../../plays/views';
import { matching, pageCommands, pageEntries, type Entry } from './entries';
import { useFound } from './use-found';
import classes from './palette.module.css';

interface PaletteProps {
  readonly onClose: () => void;
  /** Opens the sheet of keys. */
  readonly onKeys: () => void;
}

const MOST_OF_GROUP = 8;

/** Goes to whatever one can name: pages, commands, flows, plays by id, key or label. */
export function Palette({ onClose, onKeys }: PaletteProps) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const { entries: found, isLooking } = useFound(text);
  const here = useHere(onKeys);
  const all = [...cut(matching(here, text)), ...found];
  const chosen = Math.min(at, all.length - 1);
  const run = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    // the dialog holds the focus until it is gone
    setTimeout(entry.run);
  };
  const press = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) {
      const next = (chosen + by + all.length) % Math.max(1, all.length);
      setAt(next);
      document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') run(all[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog
      onClose={onClose}
      withCloseButton={false}
      centered={false}
      yOffset="10vh"
      size="lg"
      padding={0}
      title="Find"
      classNames={{ header: 'sr-only' }}
    >
      <TextInput
        data-autofocus
        variant="unstyled"
        size="md"
        className={classes.field}
        role="combobox"
        aria-label="Find a flow, a play, a page or a command"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={all[chosen] && `${list}-${chosen}`}
        placeholder="A flow, order:5299, a key, an id, a page …"
        leftSection={<Icon name="search" size={15} />}
        maxLength={255}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id={list} role="listbox" aria-label="Found" className={classes.list}>
        {all.map((entry, i) => (
          <div
            key={entry.key}
            id={`${list}-${i}`}
            role="option"
            aria-selected={i === chosen}
            className={classes.entry}
            onMouseMove={() => setAt(i)}
            onClick={() => run(entry)}
          >
            {entry.group !== all[i - 1]?.group && <span className={classes.group}>{entry.group}</span>}
            <span className={classes.row}>
              <Icon name={entry.icon} size={14} />
              <span className={`clip ${classes.title ?? ''}`} dir="auto">
                {entry.title}
              </span>
              {entry.note !== undefined && (
                <span className={`clip ${classes.note ?? ''}`} dir="auto">
                  {entry.note}
                </span>
              )}
            </span>
          </div>
        ))}
      </div>
      <p className={classes.foot} role="status">
        {all.length === 0 ? (isLooking ? 'Looking …' : 'Nothing is found.') : `${all.length} found`}
      </p>
    </Dialog>
  );
}

/** What needs no request: read once, since a page does not change under the palette. */
function useHere(onKeys: () => void): readonly Entry[] {
  const me = useMe();
  const navigate = useNavigate();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { views } = useViews();
  const [entries] = useState((): readonly Entry[] => {
    const main = document.getElementById('main');
    const isDark = colorScheme === 'dark';
    return [
      ...(main ? pageCommands(main) : []),
      ...views.map(({ name, search }) => ({
        ...{ key: `view ${name}`, group: 'Saved views', icon: 'filter' as const, title: name },
        run: () => void navigate({ to: '/plays', search }),
      })),
      ...pageEntries(me, (to) => void navigate({ to })),
      {
        ...{ key: 'scheme', group: 'Commands', icon: 'sun' as const },
        title: isDark ? 'Light colours' : 'Dark colours',
        run: () => setColorScheme(isDark ? 'light' : 'dark'),
      },
      { key: 'keys', group: 'Commands', icon: 'key' as const, title: 'Keys of the dashboard', run: onKeys },
    ];
  });
  return entries;
}

/** No group pushes the others off the screen. */
function cut(entries: readonly Entry[]): readonly Entry[] {
  const groups = Map.groupBy(entries, ({ group }) => group);
  return [...groups.values()].flatMap((each) => each.slice(0, MOST_OF_GROUP));
}
