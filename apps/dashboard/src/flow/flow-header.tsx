import { Link } from '@tanstack/react-router';
import { limitKeyOf, limitOf } from '@weft/contracts';
import { HistoryLink } from '../admin/history-link';
import { FlowMarks } from '../flows/flow-marks';
import { useFlowName } from '../flows/flow-names';
import { Person } from '../ui/person';
import { CopyText } from '../ui/copy-text';
import { Time } from '../ui/time';
import { durationText } from '../ui/duration';
import { isDraft, type Flow } from './queries';
import { RecentPlays } from './recent-plays';
import classes from './flow.module.css';

const SHOWN_FAULTS = 5;

interface FlowHeaderProps {
  readonly flow: Flow;
  /** The editor shows them itself. */
  readonly hasFaults: boolean;
}

export function FlowHeader({ flow, hasFaults }: FlowHeaderProps) {
  const { settings, errors } = flow;
  const [limit, limitKey] = [limitOf(settings.concurrency), limitKeyOf(settings.concurrency)];
  return (
    <section className={`panel ${classes.header}`} aria-label="About the flow">
      {flow.description !== '' && (
        <p className={classes.description} dir="auto">
          {flow.description}
        </p>
      )}
      {!flow.isBlueprint && <RecentPlays flowId={flow.id} />}
      <ul className={classes.facts}>
        <li className={classes.marks}>
          <FlowMarks flow={flow} />
        </li>
        <li>
          <CopyText text={flow.id} />
        </li>
        <li>
          version {flow.version}
          {isDraft(flow) && flow.publishedVersion !== null && `, runs use version ${flow.publishedVersion}`}
        </li>
        {flow.category !== '' && <li>{flow.category}</li>}
        <li>
          changed <Time at={flow.updatedAt} />
        </li>
        <li>
          made by <Person id={flow.createdBy} /> <Time at={flow.createdAt} />
        </li>
        <li>
          <HistoryLink type="flow" id={flow.id} />
        </li>
        {flow.blueprintId && <MadeFrom id={flow.blueprintId} />}
        {flow.when !== null && <li>runs only when its condition is true</li>}
        {limit !== null && (
          <li>
            {limit} at once{limitKey !== null && ` of each ${limitKey}`}
          </li>
        )}
        {settings.timeoutMs !== null && <li>time limit {durationText(settings.timeoutMs)}</li>}
      </ul>
      {hasFaults && errors.length > 0 && (
        <div className={classes.faults}>
          <strong>{flow.enabled ? 'It runs, but could not be enabled like this:' : 'It cannot be enabled yet:'}</strong>
          <ul>
            {errors.slice(0, SHOWN_FAULTS).map(({ path, message }) => (
              <li key={path + message}>
                <code>{path}</code> {message}
              </li>
            ))}
          </ul>
          {errors.length > SHOWN_FAULTS && <span className="soft">and {errors.length - SHOWN_FAULTS} more</span>}
        </div>
      )}
    </section>
  );
}

function MadeFrom({ id }: { readonly id: string }) {
  return (
    <li>
      from{' '}
      <Link to="/flows/$flowId" params={{ flowId: id }}>
        <bdi>{useFlowName(id)}</bdi>
      </Link>
    </li>
  );
}
