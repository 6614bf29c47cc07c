import { Link } from '@tanstack/react-router';
import type { components } from '@weft/client';
import { useFlowName } from '../flows/flow-names';
import classes from './play.module.css';

type Waiting = components['schemas']['PlayWaiting'];
type Entry = Waiting['chain'][number];

/** Who waits for whom, from the play of this page on. */
export function WaitChain({ chain, circle }: Pick<Waiting, 'chain' | 'circle'>) {
  // one play alone is what the sentence above says
  if (chain.length < 2) return null;
  return (
    <ol className={classes.chain} aria-label="Who waits for whom">
      {chain.map((entry, at) => (
        <ChainEntry key={at} entry={entry} isFirst={at === 0} isBack={circle && at === chain.length - 1} />
      ))}
    </ol>
  );
}

interface ChainEntryProps {
  readonly entry: Entry;
  readonly isFirst: boolean;
  /** It was named before. */
  readonly isBack: boolean;
}

function ChainEntry({ entry: { playId, flowId, waitsFor, queue }, isFirst, isBack }: ChainEntryProps) {
  const name = isFirst ? 'This play' : flowId ? <FlowName id={flowId} /> : 'A play that you may not read';
  return (
    <li>
      {isFirst || !playId ? (
        name
      ) : (
        <Link to="/plays/$playId" params={{ playId }}>
          {name}
        </Link>
      )}{' '}
      <span className="soft">
        {isBack ? 'again: these plays wait for each other. Cancel one of them' : waitText(waitsFor, queue)}
      </span>
    </li>
  );
}

function FlowName({ id }: { readonly id: string }) {
  return useFlowName(id);
}

function waitText(waitsFor: Entry['waitsFor'], queue: string | undefined): string {
  switch (waitsFor) {
    case 'turn':
      if (queue?.startsWith('lane:')) return `waits for its turn in the lane ${queue.slice('lane:'.length)} after`;
      return 'waits for its turn after';
    case 'child':
      return 'waits for the end of';
    case 'event':
      return 'waits for an event';
    case 'approval':
      return 'waits for a decision';
    case null:
      return 'does not wait for another play';
  }
}
