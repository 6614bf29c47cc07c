import { atLeast, OPERATOR, specialist, type RouteRight } from '@weft/access';
import type { LinkProps } from '@tanstack/react-router';
import type { DocsPlace } from '../ui/help';

interface AdminPage {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
  readonly help: DocsPlace;
  readonly group: 'People' | 'Company' | 'Installation';
  /** Who may see it; the server decides again. */
  readonly rights: readonly RouteRight[];
}

const ADMIN = [atLeast('admin')];
const AUDIT = [specialist('audit_viewer')];

export const ADMIN_PAGES: readonly AdminPage[] = [
  {
    to: '/admin/users',
    help: 'docs/access.md#users-and-groups',
    label: 'Users',
    group: 'People',
    rights: [...ADMIN, ...AUDIT],
  },
  { to: '/admin/groups', help: 'docs/access.md#users-and-groups', label: 'Groups', group: 'People', rights: ADMIN },
  {
    to: '/admin/grants',
    help: 'docs/access.md#grants-and-restricted-flows',
    label: 'Grants',
    group: 'People',
    rights: ADMIN,
  },
  { to: '/admin/roles', help: 'docs/access.md#roles', label: 'Roles', group: 'People', rights: [...ADMIN, ...AUDIT] },
  { to: '/admin/keys', help: 'docs/access.md#api-keys', label: 'API keys', group: 'People', rights: ADMIN },
  {
    to: '/admin/company',
    help: 'docs/dashboard.md#admin',
    label: 'Company',
    group: 'Company',
    rights: [...ADMIN, OPERATOR],
  },
  {
    to: '/admin/integrations',
    help: 'docs/integrations.md',
    label: 'Integrations',
    group: 'Company',
    rights: [specialist('integration_manager'), ...ADMIN],
  },
  { to: '/admin/retention', help: 'docs/retention.md', label: 'Retention', group: 'Company', rights: ADMIN },
  { to: '/admin/audit', help: 'docs/audit.md', label: 'Audit log', group: 'Company', rights: [...AUDIT, ...ADMIN] },
  { to: '/admin/queue', help: 'docs/operations.md#slots', label: 'Queue', group: 'Installation', rights: ADMIN },
  {
    to: '/admin/jobs',
    help: 'docs/operator-contract.md#4-background-jobs',
    label: 'Background jobs',
    group: 'Installation',
    rights: ADMIN,
  },
  {
    to: '/admin/providers',
    help: 'docs/identity-providers.md',
    label: 'Identity providers',
    group: 'Installation',
    rights: [OPERATOR],
  },
  {
    to: '/admin/settings',
    help: 'docs/reference/configuration.md',
    label: 'Settings',
    group: 'Installation',
    rights: ADMIN,
  },
  {
    to: '/admin/health',
    help: 'docs/operations.md#health',
    label: 'Health',
    group: 'Installation',
    rights: [...ADMIN, OPERATOR],
  },
];
