import { Kbd } from '@mantine/core';
import { Dialog } from '../ui/dialog';
import classes from './shell.module.css';

const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['Ctrl', 'K'], 'go to a page, a flow or a play, or do what the page offers'],
  [['?'], 'this sheet'],
  [['/'], 'search of the page'],
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
  [['r'], 'to the retry of the selected plays, or of the play of the page; Enter presses it'],
  [['.'], 'show newer plays'],
  [['Esc'], 'clear the selection'],
  [['←', '→'], 'on the slider: event before, event after'],
  [['Alt', '↑'], 'in the editor of a flow: move the layer up, with ↓ down'],
  [['Ctrl', 'Z'], 'undo, with Shift redo'],
  [['Ctrl', 'S'], 'save the flow'],
];

export function KeyboardSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Keys">
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
    </Dialog>
  );
}
