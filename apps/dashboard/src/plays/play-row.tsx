import { Checkbox } from '@mantine/core';
import { isFinal } from '@weft/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { memo, type MouseEvent } from 'react';
import { useFlowName } from '../flows/flow-names';
import { Clock } from '../ui/clock';
import { StateBadge } from '../ui/state-badge';
import { Time } from '../ui/time';
import type { Play } from './play';
import classes from './plays.module.css';

interface PlayRowProps {
  readonly play: Play;
  readonly rowIndex: number;
  readonly offset: number;
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  readonly isLeaving: boolean;
  readonly onToggle: (id: string) => void;
}

export const PlayRow = memo(function PlayRow(props: PlayRowProps) {
  const { play, rowIndex, offset, isCursor, isSelected, isLeaving, onToggle } = props;
  const navigate = useNavigate();
  const flowName = useFlowName(play.flowId);
  const params = { playId: play.id };
  const open = (event: MouseEvent): void => {
    if ((event.target as Element).closest('a, input, label')) return;
    if (getSelection()?.isCollapsed === false) return;
    void navigate({ to: '/plays/$playId', params });
  };
  return (
    <div
      className={classes.row}
      role="row"
      aria-rowindex={rowIndex}
      aria-selected={isSelected}
      data-play={play.id}
      {...(isCursor && { 'data-cursor': true })}
      {...(isLeaving && { 'data-leaving': true })}
      style={{ transform: `translateY(${offset}px)` }}
      onClick={open}
    >
      <span role="cell" className={classes.check}>
        <Checkbox aria-label={`Select ${play.id}`} checked={isSelected} onChange={() => onToggle(play.id)} />
      </span>
      <span role="cell" className={classes.status}>
        <StateBadge state={play.state} isRetrying={play.retrying} retriedBy={play.retriedBy} />
      </span>
      <span role="cell" className={`${classes.flow} clip`} dir="auto">
        <Link to="/plays/$playId" params={params} title={flowName}>
          {flowName}
        </Link>
      </span>
      <span role="cell" className={`${classes.wide} clip mono soft`} title={play.id}>
        {play.id}
      </span>
      <span role="cell" className={`${classes.wide} soft`}>
        {play.trigger}
      </span>
      <span role="cell" className={classes.time}>
        <Time at={play.createdAt} />
      </span>
      <span role="cell" className={`${classes.took} num`}>
        {play.startedAt && !isFinal(play.state) ? <Clock since={play.startedAt} /> : <Took play={play} />}
      </span>
      <span role="cell" className={`${classes.wide} ${classes.error} clip`} title={play.error?.message}>
        {play.error && `${play.error.ref === null ? '' : `${play.error.ref}: `}${play.error.message}`}
      </span>
    </div>
  );
});

function Took({ play }: { readonly play: Play }) {
  return play.duration === null ? null : <Clock ms={play.duration} />;
}
