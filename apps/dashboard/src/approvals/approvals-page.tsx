import { Button } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useFlowName } from '../flows/flow-names';
import { approvalsQuery } from '../play/queries';
import type { Play } from '../plays/play';
import { useLivePlays } from '../plays/use-plays';
import { EmptyState } from '../ui/empty-state';
import { ErrorNotice } from '../ui/error-notice';
import { Page } from '../ui/page';
import { Time } from '../ui/time';
import { DecideForm } from './decide-form';
import { openApprovals, type OpenApproval } from './open-approvals';
import { ApprovalsSkeleton } from './approvals-skeleton';
import classes from './approvals.module.css';

/** Of the newest plays that wait; their approvals are read one by one. */
const STEP = 40;

/** What people are asked, in plain words, for those who decide and are no operators. It follows from the plays that wait. */
export function ApprovalsPage() {
  const search = useMemo(() => ({ state: ['WAIT' as const] }), []);
  const { list, error, reload } = useLivePlays(search);
  const [limit, setLimit] = useState(STEP);
  const waiting = list ? [...list.newer.values(), ...list.rows.filter(({ id }) => !list.leaving.has(id))] : [];
  const shown = waiting.slice(0, limit);
  const answers = useQueries({ queries: shown.map(({ id }) => approvalsQuery(id)) });
  const isReading = list === null || answers.some(({ isPending }) => isPending);
  const open = openApprovals(
    shown,
    answers.map(({ data }) => data),
  );
  const [mine, others] = [open.filter(({ mayDecide }) => mayDecide), open.filter(({ mayDecide }) => !mayDecide)];
  return (
    <Page title="Approvals" narrow>
      {error !== null && <ErrorNotice error={error} onRetry={reload} />}
      {isReading && error === null && mine.length === 0 && <ApprovalsSkeleton />}
      {!isReading && mine.length === 0 && (
        <EmptyState title="Nothing waits for you">
          <p>When a flow asks you something, it appears here by itself.</p>
        </EmptyState>
      )}
      <Cards approvals={mine} />
      {others.length > 0 && (
        <>
          <h2>Others decide</h2>
          <Cards approvals={others} />
        </>
      )}
      {waiting.length > limit && (
        <div>
          <Button variant="default" onClick={() => setLimit(limit + STEP)}>
            Look through older ones
          </Button>
        </div>
      )}
    </Page>
  );
}

function Cards({ approvals }: { readonly approvals: readonly OpenApproval[] }) {
  return (
    <ul className={classes.list}>
      {approvals.map((approval) => (
        <li
          key={`${approval.play.id} ${approval.ref}`}
          className={`panel ${classes.card}`}
          data-approval={approval.play.id}
        >
          <p className={classes.message}>{approval.message}</p>
          <p className="soft">
            <FlowName play={approval.play} />, asked <Time at={approval.since} />
            {approval.until && (
              <>
                , to be decided <Time at={approval.until} />
              </>
            )}
            .{' '}
            <Link to="/plays/$playId" params={{ playId: approval.play.id }}>
              See the play
            </Link>
          </p>
          {approval.mayDecide && <DecideForm playId={approval.play.id} layerRef={approval.ref} />}
        </li>
      ))}
    </ul>
  );
}

function FlowName({ play }: { readonly play: Play }) {
  return <>{useFlowName(play.flowId)}</>;
}
