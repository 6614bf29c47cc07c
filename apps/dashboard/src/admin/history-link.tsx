import { specialist } from '@weft/access';
import { Link } from '@tanstack/react-router';
import { may, useMe } from '../session/me';

/** To what the audit log has of one thing, for those who may read it. */
export function HistoryLink({ type, id }: { readonly type: string; readonly id: string }) {
  if (!may(useMe(), specialist('audit_viewer'))) return null;
  return (
    <Link to="/admin/audit" search={{ resource_type: type, resource_id: id }}>
      History
    </Link>
  );
}
