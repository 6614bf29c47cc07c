import { Kbd, Modal } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { isElsewhere } from '../ui/is-elsewhere';
import classes from './shell.module.css';

const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['?'], 'this sheet'],
  [['g', 'o'], 'overview'],
  [['g', 'p'], 'plays'],
  [['g', 'f'], 'flows'],
  [['g', 's'], 'schedules'],
  [['g', 'a'], 'approvals'],
  [['g', 'm'], 'admin'],
  [['j'], 'next row of the list'],
  [['k'], 'row before'],
  [['Enter'], 'open it'],
  [['x'], 'select it'],
  [['X'], 'select all that are shown'],
  [['.'], 'show newer plays'],
  [['Esc'], 'clear the selection'],
  [['←', '→'], 'on the slider: event before, event after'],
  [['Alt', '↑'], 'in the editor of a flow: move the layer up, with ↓ down'],
  [['Ctrl', 'Z'], 'undo, with Shift redo'],
  [['Ctrl', 'S'], 'save the flow'],
];
const PLACES = { o: '/overview', p: '/plays', f: '/flows', s: '/schedules', a: '/approvals', m: '/admin' } as const;
/** Between the two keys of a place. */
const PAIR_MS = 1_500;

const isPlace = (key: string): key is keyof typeof PLACES => Object.hasOwn(PLACES, key);

export function KeyboardSheet() {
  const [isOpen, setOpen] = useState(false);
  const pressedG = useRef(0);
  const navigate = useNavigate();
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event)) return;
    const { key, timeStamp } = event;
    const isPair = timeStamp - pressedG.current < PAIR_MS;
    if (key === '?') setOpen(true);
    else if (key === 'g') pressedG.current = timeStamp;
    else if (isPair && isPlace(key)) void navigate({ to: PLACES[key] });
    if (key !== 'g') pressedG.current = -PAIR_MS;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return (
    <Modal opened={isOpen} onClose={() => setOpen(false)} title="Keys">
      <dl className={classes.keys}>
        {KEYS.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key} size="xs">
                  {key}
                </Kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
