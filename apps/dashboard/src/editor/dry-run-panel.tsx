import type { components } from '@weft/client';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { answerOf, api } from '../api/client';
import { ErrorNotice } from '../ui/error-notice';
import { Icon } from '../ui/icon';
import { StateBadge } from '../ui/state-badge';
import { ValueTree } from '../values/value-tree';
import { bodyOf, type Layers } from './draft';
import { jsonText, readObject } from '../values/json-text';
import { showDock } from './go-to-field';
import { TextCode } from './text-code';
import type { Sample } from './use-known';
import classes from './panels.module.css';

type DryRun = components['schemas']['DryRun'];

interface DryRunPanelProps {
  readonly flowId: string;
  readonly layers: Layers;
  readonly sample: Sample;
  /** What is edited; null for those who may only run what is saved. */
  readonly isDraft: boolean;
}

/** Runs the draft in memory: nothing is stored, nothing is sent. */
export function DryRunPanel({ flowId, layers, sample, isDraft }: DryRunPanelProps) {
  useEffect(showDock, []);
  const [args, setArgs] = useState(() => jsonText(sample.args ?? {}));
  const [fixtures, setFixtures] = useState('{}');
  const [readArgs, readFixtures] = [readObject(args), readObject(fixtures)];
  const run = useMutation({
    mutationFn: (input: { args: Record<string, unknown>; fixtures: Record<string, unknown> }) =>
      answerOf(
        api.POST('/api/v1/flows/{flowId}/dry-run', {
          params: { path: { flowId } },
          body: { ...input, ...(isDraft && { layers: layers.map(bodyOf) }) },
        }),
      ),
  });
  const start = (): void => {
    if ('value' in readArgs && 'value' in readFixtures)
      run.mutate({ args: readArgs.value, fixtures: readFixtures.value });
  };
  const fillIn = (refs: readonly string[]): void => {
    const before = 'value' in readFixtures ? readFixtures.value : {};
    const more = refs.map((ref) => [ref, before[ref] ?? sample.outs.get(ref) ?? {}] as const);
    setFixtures(jsonText({ ...before, ...Object.fromEntries(more) }));
  };
  return (
    <section className={`panel ${classes.panel ?? ''}`} data-dock data-own-undo aria-label="Dry run">
      <h2>Dry run</h2>
      <p className="soft">
        Runs what you see in memory. Nothing is stored, nothing is sent.
        {sample.kept.size > 0 &&
          ` Without a fixture, samples stand in for calls: ${[...sample.kept.keys()].join(', ')}.`}
      </p>
      <Json label="Arguments" text={args} onText={setArgs} fault={'fault' in readArgs ? readArgs.fault : null} />
      <Json
        label="Fixtures: outputs in the place of calls, by ref"
        text={fixtures}
        onText={setFixtures}
        fault={'fault' in readFixtures ? readFixtures.fault : null}
      />
      <div className={classes.buttons}>
        <Button onClick={start} loading={run.isPending} disabled={'fault' in readArgs || 'fault' in readFixtures}>
          Run dry
        </Button>
        {sample.playId !== null && (
          <Button
            variant="default"
            onClick={() => fillIn(layers.map(({ ref }) => ref).filter((ref) => sample.outs.has(ref)))}
          >
            Outputs of the last play as fixtures
          </Button>
        )}
      </div>
      {run.isError && <ErrorNotice error={run.error} />}
      {run.data && <Result result={run.data} onFillIn={fillIn} />}
    </section>
  );
}

interface JsonProps {
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly fault: string | null;
}

function Json({ label, text, onText, fault }: JsonProps) {
  return (
    <div>
      <h3>{label}</h3>
      <TextCode language="json" label={label} value={text} onChange={onText} isInvalid={fault !== null} hasUndo />
      {fault !== null && <p className={classes.fault}>{fault}</p>}
    </div>
  );
}

function Result({
  result,
  onFillIn,
}: {
  readonly result: DryRun;
  readonly onFillIn: (refs: readonly string[]) => void;
}) {
  const { state, error, layers, missingFixtures } = result;
  return (
    <div className={classes.result} role="status">
      <div className={classes.line}>
        <StateBadge state={state} big />
        {error && <span className={classes.fault}>{error.message}</span>}
      </div>
      {missingFixtures.length > 0 && (
        <div className={classes.line}>
          <span>
            {missingFixtures.length === 1 ? '1 call has' : `${missingFixtures.length} calls have`} no fixture:{' '}
            {missingFixtures.join(', ')}.
          </span>
          <Button
            variant="default"
            size="compact-xs"
            leftSection={<Icon name="plus" size={11} />}
            onClick={() => onFillIn(missingFixtures)}
          >
            Add
          </Button>
        </div>
      )}
      {layers.map((layer) => (
        <details key={layer.ref} className={classes.layer} open={layer.error !== null}>
          <summary>
            <code>{layer.ref}</code> <StateBadge state={layer.state} />
          </summary>
          {layer.error && <p className={classes.fault}>{layer.error.message}</p>}
          {layer.out !== null && (
            <ValueTree value={layer.out} label={`Output of ${layer.ref}`} expression={`.${layer.ref}`} />
          )}
        </details>
      ))}
    </div>
  );
}
