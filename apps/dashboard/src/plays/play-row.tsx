import { isFinal } from '@weft/contracts';
import { useNavigate } from '@tanstack/react-router';
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
  /** Undefined while it is not known. */
  readonly flowName: string | undefined;
  readonly rowIndex: number;
  readonly offset: number;
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  readonly isLeaving: boolean;
  /** Two lines: state and flow, and below them what tells the play from others. */
  readonly isNarrow: boolean;
  readonly columns: readonly { readonly id: ColumnId }[];
  /** What the list shows. */
  readonly search: PlaysPageSearch;
  readonly onToggle: (id: string) => void;
}

/** Dozens come with each turn of the wheel: it has no component of the kit, and asks for nothing that all rows share. */
export const PlayRow = memo(function PlayRow(props: PlayRowProps) {
  const { play, flowName, rowIndex, offset, isCursor, isSelected, isLeaving, isNarrow, columns, search, onToggle } =
    props;
  const navigate = useNavigate();
  const open = (event: MouseEvent): void => {
    const on = (event.target as Element).closest('a, input');
    if (on && !('open' in (on as HTMLElement).dataset)) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || getSelection()?.isCollapsed === false) return;
    event.preventDefault();
    void navigate({ to: '/plays/$playId', params: { playId: play.id } });
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
        <input
          type="checkbox"
          aria-label={`Select ${play.id}`}
          checked={isSelected}
          onChange={() => onToggle(play.id)}
        />
      </span>
      <Cells play={play} flowName={flowName} isNarrow={isNarrow} columns={columns} search={search} />
    </div>
  );
});

/** What does not change when the row only moves. */
const Cells = memo(function Cells(props: Pick<PlayRowProps, 'play' | 'flowName' | 'isNarrow' | 'columns' | 'search'>) {
  const { play, flowName, isNarrow, columns, search } = props;
  return (
    <>
      <span role="cell" className={classes.status}>
        <StateBadge state={play.state} isRetrying={play.retrying} retriedBy={play.retriedBy} />
      </span>
      <span role="cell" className={`${classes.flow} clip`} dir="auto">
        <a href={`/plays/${play.id}`} title={flowName} data-open>
          {flowName ?? <FlowName id={play.flowId} />}
        </a>
      </span>
      {isNarrow && <SecondLine play={play} columns={columns} search={search} />}
      {columns.map(({ id }) =>
        isNarrow && id !== 'took' ? null : <Cell key={id} column={id} play={play} search={search} />,
      )}
    </>
  );
});

/** Of a flow that was deleted, or is not among the first. */
function FlowName({ id }: { readonly id: string }) {
  return useFlowName(id);
}

function SecondLine({ play, columns, search }: Pick<PlayRowProps, 'play' | 'columns' | 'search'>) {
  const has = (wanted: ColumnId): boolean => columns.some(({ id }) => id === wanted);
  return (
    <span role="cell" className={classes.second}>
      {has('accepted') && <Time at={play.createdAt} />}
      {has('labels') && <Labels labels={play.labels} search={search} />}
      {has('key') && play.idempotencyKey !== null && <span className="clip">{play.idempotencyKey}</span>}
      {has('person') && play.triggeredBy !== null && <Person id={play.triggeredBy} />}
    </span>
  );
}

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
        <span role="cell" className="clip">
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
        <span role="cell" className="clip soft">
          {play.triggeredBy !== null && <Person id={play.triggeredBy} />}
        </span>
      );
    case 'version':
      return <Text className="num soft" text={String(play.version)} />;
    case 'priority':
      return <Text className="num soft" text={String(play.priority)} />;
    case 'accepted':
      return (
        <span role="cell">
          <Time at={play.createdAt} />
        </span>
      );
    case 'ended':
      return <span role="cell">{play.completedAt !== null && <Time at={play.completedAt} />}</span>;
    case 'took':
      return (
        <span role="cell" className={`${classes.took} num`}>
          {play.startedAt && !isFinal(play.state) ? <Clock since={play.startedAt} /> : <Took play={play} />}
        </span>
      );
    case 'error':
      return (
        <span role="cell" className={`${classes.error} clip`} title={error?.message} dir="auto">
          {error && `${error.ref === null ? '' : `${error.ref}: `}${error.message}`}
        </span>
      );
  }
}

function Text({ text, className }: { readonly text: string; readonly className: string }) {
  return (
    <span role="cell" className={`clip ${className}`} title={text}>
      {text}
    </span>
  );
}

function Took({ play }: { readonly play: Play }) {
  return play.duration === null ? null : <Clock ms={play.duration} />;
}
