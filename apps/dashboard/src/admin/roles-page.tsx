import { atLeast, mayPass, roleGives, ROLES, specialist, type Role } from '@weft/access';
import { ROLE_NAMES } from '../session/me';
import { Icon } from '../ui/icon';
import { Table } from '../ui/table';
import { AdminPage } from './admin-page';

const passes =
  (...rights: Parameters<typeof mayPass>[1]) =>
  (role: Role): boolean =>
    mayPass({ role, operator: false }, rights);

/** Decided by the same rules as on the server: docs/http-api.md §1.8. */
const MAY: readonly (readonly [what: string, may: (role: Role) => boolean])[] = [
  ['Read flows and plays', (role) => roleGives(role, 'read')],
  ['Run flows, command own plays', (role) => roleGives(role, 'execute')],
  ['Make and change flows and schedules', (role) => roleGives(role, 'edit')],
  ['Command all plays, also many at once', passes(atLeast('editor'))],
  ['Delete flows and plays', (role) => roleGives(role, 'delete')],
  ['See figures', passes(specialist('analytics_viewer'), atLeast('editor'))],
  ['Read the audit log and what users did', passes(specialist('audit_viewer'))],
  ['Make integrations, change their own', passes(specialist('integration_manager'))],
  ['Users, groups, grants, keys, retention', passes(atLeast('admin'))],
];

export function RolesPage() {
  return (
    <AdminPage at="/admin/roles" title="Roles">
      <p className="soft">
        Each user has one role in each company. The creator of a flow, and holders of grants, may do more with single
        flows; restricted flows are open to them and to admins only.
      </p>
      <Table
        caption="What each role may"
        hideCaption
        columns={['May', ...ROLES.map((role) => ROLE_NAMES[role])]}
        rows={MAY.map(([what, may]) => ({
          key: what,
          cells: [what, ...ROLES.map((role) => <YesNo key={role} isYes={may(role)} />)],
        }))}
      />
    </AdminPage>
  );
}

function YesNo({ isYes }: { readonly isYes: boolean }) {
  return isYes ? (
    <>
      <Icon name="check" size={14} />
      <span className="sr-only">yes</span>
    </>
  ) : (
    <span className="soft">
      <span aria-hidden="true">–</span>
      <span className="sr-only">no</span>
    </span>
  );
}
