import { Button } from '@mantine/core';
import { StateBadge } from '../../ui/state-badge';
import { ValueTree } from '../../values/value-tree';
import type { DryRun } from './queries';
import classes from './test-cases.module.css';

interface TrialProps {
  readonly run: DryRun;
  readonly onExpect: (ref: string, out: unknown) => void;
}

/** What a dry run gave, layer by layer. */
export function Trial({ run, onExpect }: TrialProps) {
  return (
    <section className={classes.trial} aria-label="Result of the dry run" aria-live="polite">
      <div className={classes.line}>
        <StateBadge state={run.state} /> {run.error && <span>{run.error.message}</span>}
      </div>
      {run.missingFixtures.length > 0 && (
        <p>
          These layers reach outside or wait, and need a fixture: <code>{run.missingFixtures.join(', ')}</code>
        </p>
      )}
      {run.layers.map(({ ref, state, out, error }) => (
        <details key={ref}>
          <summary>
            <code>{ref}</code> <StateBadge state={state} />
          </summary>
          {error && <p>{error.message}</p>}
          {state === 'DONE' && (
            <>
              <ValueTree value={out} label={`Output of ${ref}`} expression={`.${ref}`} />
              <Button variant="default" size="compact-xs" onClick={() => onExpect(ref, out)}>
                Expect this
              </Button>
            </>
          )}
        </details>
      ))}
    </section>
  );
}
