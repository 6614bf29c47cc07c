import { AdminPage } from '../admin-page';
import { Grants } from './grants';

export function GrantsPage() {
  return (
    <AdminPage at="/admin/grants" title="Grants">
      <p className="soft">A grant opens one flow, flow group or integration to a user or to all members of a group.</p>
      <Grants />
    </AdminPage>
  );
}
