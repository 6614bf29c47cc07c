import { Checkbox } from '@mantine/core';
import { isFinal } from '@weft/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { memo, type MouseEvent } from 'react';
import { useFlowName } from '../flows/flow-names';
import { Clock } from '../ui/clock';
import { Person } from '../ui/person';
import { StateBadge } from '../ui/state-badge';
import { Time } from '../ui/time';
import type { ColumnId } from './columns';
import { Labels } from './labels';
import type { Play } from './play';
import type { PlaysPageSearch } from './plays-search';
import classes from './plays.module.css';

interface PlayRowProps {
  readonly play: Play;
  readonly rowIndex: number;
  readonly offset: number;
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  readonly isLeaving: boolean;
  readonly columns: readonly { readonly id: ColumnId }[];
  /** What the list shows. */
  readonly search: PlaysPageSearch;
  readonly onToggle: (id: string) => void;
}

export const PlayRow = memo(function PlayRow(props: PlayRowProps) {
  const { play, rowIndex, offset, isCursor, isSelected, isLeaving, columns, search, onToggle } = props;
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
      {columns.map(({ id }) => (
        <Cell key={id} column={id} play={play} search={search} />
      ))}
    </div>
  );
});

interface CellProps {
  readonly column: ColumnId;
  readonly play: Play;
  readonly search: PlaysPageSearch;
}

function Cell({ column, play, search }: CellProps) {
  const { error } = play;
  switch (column) {
    case 'labels':
      return (
        <span role="cell" className={`${classes.wide} clip`}>
          <Labels labels={play.labels} search={search} />
        </span>
      );
    case 'id':
      return <Text className="mono soft" text={play.id} />;
    case 'key':
      return <Text className="soft" text={play.idempotencyKey ?? ''} />;
    case 'trigger':
      return <Text className="soft" text={play.trigger} />;
    case 'person':
      return (
        <span role="cell" className={`${classes.wide} clip soft`}>
          {play.triggeredBy !== null && <Person id={play.triggeredBy} />}
        </span>
      );
    case 'version':
      return <Text className="num soft" text={String(play.version)} />;
    case 'priority':
      return <Text className="num soft" text={String(play.priority)} />;
    case 'accepted':
      return (
        <span role="cell" className={classes.time}>
          <Time at={play.createdAt} />
        </span>
      );
    case 'ended':
      return (
        <span role="cell" className={classes.wide}>
          {play.completedAt !== null && <Time at={play.completedAt} />}
        </span>
      );
    case 'took':
      return (
        <span role="cell" className={`${classes.took} num`}>
          {play.startedAt && !isFinal(play.state) ? <Clock since={play.startedAt} /> : <Took play={play} />}
        </span>
      );
    case 'error':
      return (
        <span role="cell" className={`${classes.wide} ${classes.error} clip`} title={error?.message} dir="auto">
          {error && `${error.ref === null ? '' : `${error.ref}: `}${error.message}`}
        </span>
      );
  }
}

/** Narrow screens leave it out. */
function Text({ text, className }: { readonly text: string; readonly className: string }) {
  return (
    <span role="cell" className={`${classes.wide} clip ${className}`} title={text}>
      {text}
    </span>
  );
}

function Took({ play }: { readonly play: Play }) {
  return play.duration === null ? null : <Clock ms={play.duration} />;
}
