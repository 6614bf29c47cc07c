import { Link } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { memo, useEffect, useMemo, useState } from 'react';
import { answerOf, api } from '../api/client';
import { durationText } from '../ui/duration';
import { Paged } from '../ui/paged';
import { usePages } from '../ui/use-pages';
import { ValueTree } from '../values/value-tree';
import { approvalId } from './approvals';
import { playKey, type LoopItem, type PlayLayer } from './queries';
import { askedCalls, transcriptOf, type AskedCall, type TranscriptStep } from './transcript-model';
import { useSaid } from '../live/use-said';
import classes from './play.module.css';

interface TranscriptProps {
  readonly playId: string;
  readonly layer: PlayLayer;
}

const SIZE = 50;
const WORDS = { model: 'Model', tool: 'Tool', approval: 'Approval', child: 'Flow' } as const;

/**
 * Who called what with which arguments, with tokens, cost and times, in order; while it works also what the model says now. The page
 * around it is drawn every second while the play goes on, and this only when it changes.
 */
export const Transcript = memo(function Transcript({ playId, layer }: TranscriptProps) {
  const { ref, state } = layer;
  const pages = usePages<LoopItem>(itemsKey(playId, ref), (cursor) => {
    const query = { size: SIZE, ...cursor };
    return answerOf(api.GET('/api/v1/plays/{id}/layers/{ref}/items', { params: { path: { id: playId, ref }, query } }));
  });
  const items = pages.items ?? NO_ITEMS;
  const steps = useMemo(() => transcriptOf(items), [items]);
  return (
    <div className={classes.items}>
      <Sum layer={layer} />
      <Paged pages={pages}>
        {() =>
          steps.length === 0 && state !== 'RUN' ? (
            <p className="soft">No step has ended yet.</p>
          ) : (
            steps.map((step) => <Step key={step.index} step={step} name={ref} />)
          )
        }
      </Paged>
      {state === 'RUN' && <AtWork playId={playId} name={ref} steps={steps} />}
      {state === 'WAIT' && <Waiting name={ref} asked={pages.hasMore ? null : askedCalls(items)} />}
    </div>
  );
});

const NO_ITEMS: readonly LoopItem[] = [];
const itemsKey = (playId: string, ref: string) => [...playKey(playId), 'items', ref, 'all'];

/** What the model says, or the step that is under way. */
function AtWork({ playId, name, steps }: { playId: string; name: string; steps: readonly TranscriptStep[] }) {
  const { said, status } = useSaid(playId, name, true);
  const queries = useQueryClient();
  useEffect(() => {
    // another step has begun: those before it are stored
    if (status !== '') void queries.invalidateQueries({ queryKey: itemsKey(playId, name) });
  }, [queries, playId, name, status]);
  const answers = steps.filter(({ kind }) => kind === 'model').length;
  const isNew = said !== null && said.answer >= answers;
  return (
    <section className={classes.item} aria-label="At work">
      <p className="soft">{status === '' ? `${name} is at work.` : `${name} is at ${status}`}</p>
      {isNew && <pre className={classes.said}>{said.text}</pre>}
    </section>
  );
}

/** What is waited for: of a call that a person decides what it is, and where. @param calls null: they are not all read */
function Waiting({ name, asked: calls }: { readonly name: string; readonly asked: readonly AskedCall[] | null }) {
  const [asked] = calls ?? [];
  if (!calls) return <p role="status">{name} waits: more of its steps are to be read.</p>;
  if (!asked) return <p role="status">{name} waits here for the play of a flow.</p>;
  return (
    <section className={classes.item} aria-label="Waits for a decision">
      <p role="status">
        {name} waits here: may it call <strong>{asked.tool}</strong>? <a href={`#${approvalId(name)}`}>Decide</a>
      </p>
      <ValueTree value={asked.args} label={`Arguments of the call of ${name} that is asked for`} />
    </section>
  );
}

/** What it all took, once it has ended. */
function Sum({ layer: { out } }: Pick<TranscriptProps, 'layer'>) {
  if (typeof out !== 'object' || out === null || !('usage' in out) || !('cost' in out)) return null;
  const { usage, cost } = out as { readonly usage: Readonly<Record<string, unknown>>; readonly cost: unknown };
  return (
    <p className="soft">
      {String(usage.tokensIn)} tokens read, {String(usage.tokensOut)} written, {String(usage.calls)} calls of tools
      {typeof cost === 'number' ? `, ${priceText(cost)}` : ', at an unknown price'}
    </p>
  );
}

function priceText(dollars: number): string {
  return `$${dollars.toPrecision(3)}`;
}

const MAX_SHORT_CHARS = 200;

/** Of arguments, on one line. */
function shortOf(args: unknown): string {
  return args === undefined ? '' : JSON.stringify(args).slice(0, MAX_SHORT_CHARS);
}

const Step = memo(function Step({ step, name }: { readonly step: TranscriptStep; readonly name: string }) {
  const [isOpen, setOpen] = useState(false);
  const { index, kind, tool, ok, ms, tokens, cost, text, note, playId } = step;
  return (
    <details className={classes.item} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className={classes.index}>{index + 1}</span>
        <strong>{tool ?? WORDS[kind]}</strong>
        {!ok && <span className={classes.refused}>failed</span>}
        <span className={classes.reason}>{note ?? text ?? shortOf(step.args)}</span>
        {tokens !== null && <span className="soft num">{tokens} tokens</span>}
        {cost !== null && <span className="soft num">{priceText(cost)}</span>}
        {ms !== null && <span className="soft num">{durationText(ms)}</span>}
      </summary>
      {isOpen && (
        <>
          {playId !== null && (
            <Link to="/plays/$playId" params={{ playId }}>
              Open the play of this flow
            </Link>
          )}
          {text !== null && <pre className={classes.said}>{text}</pre>}
          {step.args !== undefined && (
            <ValueTree value={step.args} label={`Arguments of step ${index + 1} of ${name}`} />
          )}
          {step.result !== undefined && (
            <ValueTree value={step.result} label={`Result of step ${index + 1} of ${name}`} />
          )}
          {text === null && step.args === undefined && step.result === undefined && (
            <p className="soft">Nothing more is kept of this step.</p>
          )}
        </>
      )}
    </details>
  );
});
