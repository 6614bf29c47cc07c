import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ErrorNotice } from '../ui/error-notice';
import { jsonText } from '../values/json-text';
import { entriesOf, isBranch, previewOf } from '../values/tree-model';
import { runBacktest, stepIn, type Backtest } from './backtest';
import type { Layers } from './draft';
import { showDock } from './go-to-field';
import classes from './panels.module.css';

const MAX_PLAYS = 200;

interface BacktestPanelProps {
  readonly flowId: string;
  readonly layers: Layers;
}

/** What the edited version would have done in the last plays, before anybody runs it. */
export function BacktestPanel({ flowId, layers }: BacktestPanelProps) {
  useEffect(showDock, []);
  const [last, setLast] = useState('50');
  const count = Number(last);
  const isCount = Number.isInteger(count) && count >= 1 && count <= MAX_PLAYS;
  const backtest = useMutation({ mutationFn: () => runBacktest(flowId, layers, count) });
  return (
    <section className={`panel ${classes.panel ?? ''}`} data-dock data-own-undo aria-label="Backtest">
      <h2>Backtest</h2>
      <p className="soft">
        Rehearses what you see over the last plays, with the outputs that they recorded. Nothing is stored, nothing is
        sent.
      </p>
      <form
        className={classes.line}
        onSubmit={(event) => {
          event.preventDefault();
          if (isCount) backtest.mutate();
        }}
      >
        <TextInput
          type="number"
          aria-label="How many plays"
          min={1}
          max={MAX_PLAYS}
          value={last}
          w={80}
          onChange={(event) => setLast(event.currentTarget.value)}
        />
        <span>last plays</span>
        <Button type="submit" loading={backtest.isPending} disabled={!isCount}>
          Run the backtest
        </Button>
      </form>
      {backtest.isError && <ErrorNotice error={backtest.error} />}
      {backtest.data && <Result result={backtest.data} />}
    </section>
  );
}

function Result({ result }: { readonly result: Backtest }) {
  const { compared, same, different, unresolved, items } = result;
  const others = items.filter((item) => item.result !== 'same');
  if (compared === 0) return <p role="status">This flow has no play that could be compared.</p>;
  return (
    <div className={classes.result} role="status">
      <p className={classes.counts}>
        <strong>{compared} compared:</strong>{' '}
        <span data-state="DONE" className={classes.share}>
          {same} same
        </span>{' '}
        <span data-state="FAIL" className={classes.share}>
          {different} different
        </span>{' '}
        <span data-state="WAIT" className={classes.share}>
          {unresolved} unresolved
        </span>
      </p>
      {others.map((item) => (
        <ItemResult key={item.playId} item={item} />
      ))}
    </div>
  );
}

function ItemResult({ item: { playId, result, differences, missing } }: { readonly item: Item }) {
  return (
    <details className={classes.layer} open={result === 'different'}>
      <summary>
        <code>{playId}</code> {result}
      </summary>
      <Link to="/plays/$playId" params={{ playId }} target="_blank" className={classes.play ?? ''}>
        Look at the play
      </Link>
      {missing.length > 0 && <p className="soft">Nobody knows what {missing.join(', ')} would give now.</p>}
      <ul className={classes.differences}>
        {differences.map((each) => (
          <li key={`${each.ref} ${each.path}`}>
            <Difference difference={each} />
          </li>
        ))}
      </ul>
    </details>
  );
}

type Item = Backtest['items'][number];

function Difference({
  difference: { ref, path, before, after },
}: {
  readonly difference: Item['differences'][number];
}) {
  const step = stepIn(path);
  if (step)
    return (
      <>
        <p>
          Step {step.step} of <code>{ref}</code> is the first that differs
          {step.place !== '' && (
            <>
              , in <code>{step.place}</code>
            </>
          )}
        </p>
        <dl className={classes.asked}>
          <dt>Then</dt>
          <dd>{asked(before)}</dd>
          <dt>Now</dt>
          <dd>{asked(after)}</dd>
        </dl>
      </>
    );
  return (
    <>
      <code>{[ref ?? 'the play', path].filter(Boolean).join('.')}</code>
      <span>
        <s>{shown(before)}</s> → <b>{shown(after)}</b>
      </span>
    </>
  );
}

/** What a step asked, to be read: texts as they are. */
function asked(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return typeof value === 'string' ? value : jsonText(value);
}

function shown(value: unknown): string {
  return value === undefined ? 'absent' : previewOf(value, isBranch(value) ? entriesOf(value).length : null);
}
