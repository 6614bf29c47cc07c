import { useQuery } from '@tanstack/react-query';
import { DecideForm } from '../approvals/decide-form';
import { approvalsQuery } from './queries';
import classes from './play.module.css';

/** Where on the page a layer asks. */
export const approvalId = (ref: string): string => `approval-${ref}`;

/** What this play asks people. */
export function Approvals({ playId }: { readonly playId: string }) {
  const { data } = useQuery(approvalsQuery(playId));
  return data?.map((approval) => (
    <section
      key={approval.ref}
      id={approvalId(approval.ref)}
      className={`panel ${classes.approval}`}
      aria-label={`Approval ${approval.ref}`}
    >
      <p className={classes.message}>{approval.message}</p>
      {approval.until && <p className="soft">To be decided until {new Date(approval.until).toLocaleString()}.</p>}
      {approval.mayDecide ? (
        <DecideForm key={approval.step} playId={playId} layerRef={approval.ref} step={approval.step} />
      ) : (
        <p className="soft">Others decide this.</p>
      )}
    </section>
  ));
}
