import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../ui/empty-state';
import { ErrorNotice } from '../ui/error-notice';
import { Page } from '../ui/page';
import { Time } from '../ui/time';
import { ApprovalsSkeleton } from './approvals-skeleton';
import { DecideForm } from './decide-form';
import { keyOf, type OpenApproval } from './open-approvals';
import { useFreshInbox, useInbox } from './use-inbox';
import classes from './approvals.module.css';

/** What people are asked, in plain words, for those who decide and are no operators. It follows from the plays that wait. */
export function ApprovalsPage() {
  const mine = useInbox(true);
  const all = useInbox(false);
  useFreshInbox();
  const others = all.approvals?.filter(({ mayDecide }) => !mayDecide) ?? [];
  return (
    <Page title="Approvals" help="docs/layers.md#approval" narrow>
      {mine.error !== null && <ErrorNotice error={mine.error} onRetry={mine.reload} />}
      {mine.approvals === null && mine.error === null && <ApprovalsSkeleton />}
      {mine.approvals?.length === 0 && mine.error === null && !mine.hasMore && (
        <EmptyState title="Nothing waits for you">
          <p>When a flow asks you something, it appears here by itself.</p>
        </EmptyState>
      )}
      <Cards approvals={mine.approvals ?? []} />
      <More inbox={mine} />
      {(others.length > 0 || all.hasMore) && (
        <>
          <h2>Others decide</h2>
          <Cards approvals={others} />
          <More inbox={all} />
        </>
      )}
    </Page>
  );
}

function More({ inbox: { hasMore, isLoadingMore, more } }: { readonly inbox: ReturnType<typeof useInbox> }) {
  if (!hasMore) return null;
  return (
    <div>
      <Button variant="default" loading={isLoadingMore} onClick={more}>
        More
      </Button>
    </div>
  );
}

function Cards({ approvals }: { readonly approvals: readonly OpenApproval[] }) {
  return (
    <ul className={classes.list}>
      {approvals.map((approval) => (
        <li key={keyOf(approval)} className={`panel ${classes.card}`} data-approval={approval.playId}>
          <p className={classes.message}>{approval.message}</p>
          <p className="soft">
            <bdi>{approval.flowName}</bdi>, asked <Time at={approval.since} />
            {approval.until && (
              <>
                , to be decided <Time at={approval.until} />
              </>
            )}
            .{' '}
            <Link to="/plays/$playId" params={{ playId: approval.playId }}>
              See the play
            </Link>
          </p>
          {approval.mayDecide && (
            <DecideForm key={approval.step} playId={approval.playId} layerRef={approval.ref} step={approval.step} />
          )}
        </li>
      ))}
    </ul>
  );
}
