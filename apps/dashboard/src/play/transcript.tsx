import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { durationText } from '../ui/duration';
import { Paged } from '../ui/paged';
import { usePages } from '../ui/use-pages';
import { ValueTree } from '../values/value-tree';
import { playKey, type LoopItem, type PlayLayer } from './queries';
import { transcriptOf, type TranscriptStep } from './transcript-model';
import classes from './play.module.css';

interface TranscriptProps {
  readonly playId: string;
  readonly layer: PlayLayer;
}

const SIZE = 50;
const WORDS = { model: 'Model', tool: 'Tool', approval: 'Approval', child: 'Flow' } as const;

/** Who called what with which arguments, with tokens and times, in order. */
export function Transcript({ playId, layer }: TranscriptProps) {
  const { ref } = layer;
  const pages = usePages<LoopItem>([...playKey(playId), 'items', ref, 'all'], (cursor) => {
    const query = { size: SIZE, ...cursor };
    return answerOf(api.GET('/api/v1/plays/{id}/layers/{ref}/items', { params: { path: { id: playId, ref }, query } }));
  });
  return (
    <div className={classes.items}>
      <Sum layer={layer} />
      <Paged pages={pages}>
        {(items) =>
          items.length === 0 ? (
            <p className="soft">No step has ended yet.</p>
          ) : (
            transcriptOf(items).map((step) => <Step key={step.index} step={step} name={ref} />)
          )
        }
      </Paged>
      {layer.state === 'WAIT' && (
        <p role="status">{layer.ref} waits here: for the decision that is asked above, or for the play of a flow.</p>
      )}
    </div>
  );
}

/** What it all took, once it has ended. */
function Sum({ layer: { out } }: Pick<TranscriptProps, 'layer'>) {
  if (typeof out !== 'object' || out === null || !('usage' in out) || !('cost' in out)) return null;
  const { usage, cost } = out as { readonly usage: Readonly<Record<string, unknown>>; readonly cost: unknown };
  return (
    <p className="soft">
      {String(usage.tokensIn)} tokens read, {String(usage.tokensOut)} written, {String(usage.calls)} calls of tools
      {typeof cost === 'number' ? `, $${cost.toPrecision(3)}` : ', at an unknown price'}
    </p>
  );
}

const MAX_SHORT_CHARS = 200;

/** Of arguments, on one line. */
function shortOf(args: unknown): string {
  return args === undefined ? '' : JSON.stringify(args).slice(0, MAX_SHORT_CHARS);
}

function Step({ step, name }: { readonly step: TranscriptStep; readonly name: string }) {
  const [isOpen, setOpen] = useState(false);
  const { index, kind, tool, ok, ms, tokens, text, note, playId } = step;
  return (
    <details className={classes.item} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className={classes.index}>{index + 1}</span>
        <strong>{tool ?? WORDS[kind]}</strong>
        {!ok && <span className={classes.refused}>failed</span>}
        <span className={classes.reason}>{note ?? text ?? shortOf(step.args)}</span>
        {tokens !== null && <span className="soft num">{tokens} tokens</span>}
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
}
