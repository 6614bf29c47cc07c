import { notifications } from '@mantine/notifications';
import { pathText } from '../values/tree-model';
import { ValueTree } from '../values/value-tree';
import type { Known } from './expression';
import { insertPath } from './insert-path';
import classes from './panels.module.css';

/** The values that expressions of a layer can read: a click writes the path into the field that had the focus last. */
export function SampleData({ known }: { readonly known: Known }) {
  const variables = [...known.variables].flatMap(([name, { says, value }]) =>
    value === undefined ? [] : [{ expression: name, says, value }],
  );
  const outs = known.refs
    .toReversed()
    .filter(({ ref }) => known.outs.has(ref))
    .map(({ ref, name }) => ({
      expression: pathText([ref]),
      says: name === ref ? '' : name,
      value: known.outs.get(ref),
    }));
  const args =
    known.args === undefined ? [] : [{ expression: '$prev.args', says: 'arguments of the run', value: known.args }];
  const roots = [...variables, ...outs, ...args];
  if (roots.length === 0) {
    return (
      <p className="soft">
        Nothing is known yet: try the layers before this one and keep what they answer as samples, or run the flow once.
      </p>
    );
  }
  return (
    <div className={classes.result}>
      <p className="soft">A click on a value writes its path into the field that you were in.</p>
      {roots.map(({ expression, says, value }) => (
        <div key={expression}>
          <div className={classes.line}>
            <button type="button" className={classes.root} onClick={() => pick(expression)} title="Insert the path">
              {expression}
            </button>
            <span className="soft">{says}</span>
          </div>
          <ValueTree
            value={value}
            label={`Sample of ${expression}`}
            expression={expression}
            onPick={(path) => pick(`${expression}${pathText(path)}`)}
          />
        </div>
      ))}
    </div>
  );
}

function pick(path: string): void {
  if (!insertPath(path)) notifications.show({ message: `Go to a field first: ${path} is written at its cursor.` });
}
