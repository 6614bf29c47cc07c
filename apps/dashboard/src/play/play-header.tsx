import { isFinal, type PlayState } from '@weft/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useFlowName } from '../flows/flow-names';
import { HistoryLink } from '../admin/history-link';
import type { Play } from '../plays/play';
import { Clock } from '../ui/clock';
import { Labels } from '../plays/labels';
import { CopyText } from '../ui/copy-text';
import { Person } from '../ui/person';
import { StateBadge } from '../ui/state-badge';
import { Time } from '../ui/time';
import { waitingQuery, type PlayLayer } from './queries';
import { WaitChain } from './wait-chain';
import { nowText, triggerText } from './words';
import classes from './play.module.css';

interface PlayHeaderProps {
  readonly play: Play;
  readonly layers: readonly PlayLayer[];
  /** The state to show: that of the past where the slider is there. */
  readonly state: PlayState;
}

export const PlayHeader = memo(function PlayHeader({ play, layers, state }: PlayHeaderProps) {
  const flowName = useFlowName(play.flowId);
  const isPast = state !== play.state;
  const rests = ['NEW', 'WAIT', 'DEFERRED', 'ON_HOLD'].includes(play.state);
  const waiting = useQuery({ ...waitingQuery(play.id), enabled: rests });
  const why = rests && waiting.data?.reason ? waiting.data.message : null;
  return (
    <section className={`panel ${classes.header}`} aria-label="What happens">
      <div className={classes.now}>
        <StateBadge state={state} retriedBy={isPast ? null : play.retriedBy} big />
        <span className={classes.clock}>
          {!isPast &&
            play.startedAt &&
            (isFinal(play.state) ? <Clock ms={play.duration ?? 0} /> : <Clock since={play.startedAt} />)}
        </span>
        {!isPast && <p aria-live="polite">{why ?? nowText(play, layers)}</p>}
      </div>
      {!isPast && rests && waiting.data && <WaitChain chain={waiting.data.chain} circle={waiting.data.circle} />}
      {Object.keys(play.labels).length > 0 && (
        <p aria-label="Labels">
          <Labels labels={play.labels} />
        </p>
      )}
      <ul className={classes.facts}>
        <li>
          <CopyText text={play.id} />
        </li>
        <li>
          <Link to="/flows/$flowId" params={{ flowId: play.flowId }}>
            <bdi>{flowName}</bdi>
          </Link>{' '}
          <Link
            to="/flows/$flowId"
            params={{ flowId: play.flowId }}
            search={{ tab: 'versions', to: play.version }}
            title="What this version changed"
          >
            version {play.version}
          </Link>
        </li>
        <li>
          started by <Starter play={play} />
        </li>
        <li>
          accepted <Time at={play.createdAt} />
        </li>
        {play.idempotencyKey && (
          <li>
            key <CopyText text={play.idempotencyKey} />
          </li>
        )}
        {play.priority !== 0 && <li>priority {play.priority}</li>}
        {play.lane && (
          <li>
            lane <CopyText text={play.lane} />
          </li>
        )}
        <li>
          <HistoryLink type="play" id={play.id} />
        </li>
        {play.retryOf && <Related label="tried again from" id={play.retryOf} />}
        {play.retriedBy && <Related label="tried again as" id={play.retriedBy.playId} state={play.retriedBy.state} />}
        {play.parentPlayId && <Related label="started by play" id={play.parentPlayId} />}
        {play.handlesFailureOf && <Related label="handles the failure of" id={play.handlesFailureOf} />}
        {play.failureHandledBy && <Related label="its failure is handled by" id={play.failureHandledBy} />}
      </ul>
    </section>
  );
});

/** A run through the API by a person is theirs, whatever program sent it. */
function Starter({ play: { trigger, triggeredBy } }: { readonly play: Play }) {
  if (!triggeredBy) return triggerText(trigger);
  return (
    <>
      {trigger !== 'api' && `${triggerText(trigger)}, `}
      <Person id={triggeredBy} />
    </>
  );
}

interface RelatedProps {
  readonly label: string;
  readonly id: string;
  readonly state?: PlayState;
}

function Related({ label, id, state }: RelatedProps) {
  return (
    <li>
      {label}{' '}
      <Link to="/plays/$playId" params={{ playId: id }} className="mono">
        {id}
      </Link>
      {state && (
        <>
          {' '}
          <StateBadge state={state} />
        </>
      )}
    </li>
  );
}
