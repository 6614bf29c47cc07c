import { atLeast, OPERATOR, specialist, type RouteRight } from '@weft/access';
import type { LinkProps } from '@tanstack/react-router';

interface AdminPage {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
  readonly group: 'People' | 'Company' | 'Installation';
  /** Who may see it; the server decides again. */
  readonly rights: readonly RouteRight[];
}

const ADMIN = [atLeast('admin')];
const AUDIT = [specialist('audit_viewer')];

export const ADMIN_PAGES: readonly AdminPage[] = [
  { to: '/admin/users', label: 'Users', group: 'People', rights: [...ADMIN, ...AUDIT] },
  { to: '/admin/groups', label: 'Groups', group: 'People', rights: ADMIN },
  { to: '/admin/grants', label: 'Grants', group: 'People', rights: ADMIN },
  { to: '/admin/roles', label: 'Roles', group: 'People', rights: [...ADMIN, ...AUDIT] },
  { to: '/admin/keys', label: 'API keys', group: 'People', rights: ADMIN },
  { to: '/admin/company', label: 'Company', group: 'Company', rights: [...ADMIN, OPERATOR] },
  {
    to: '/admin/integrations',
    label: 'Integrations',
    group: 'Company',
    rights: [specialist('integration_manager'), ...ADMIN],
  },
  { to: '/admin/retention', label: 'Retention', group: 'Company', rights: ADMIN },
  { to: '/admin/audit', label: 'Audit log', group: 'Company', rights: [...AUDIT, ...ADMIN] },
  { to: '/admin/queue', label: 'Queue', group: 'Installation', rights: ADMIN },
  { to: '/admin/jobs', label: 'Background jobs', group: 'Installation', rights: ADMIN },
  { to: '/admin/providers', label: 'Identity providers', group: 'Installation', rights: [OPERATOR] },
  { to: '/admin/settings', label: 'Settings', group: 'Installation', rights: ADMIN },
  { to: '/admin/health', label: 'Health', group: 'Installation', rights: [...ADMIN, OPERATOR] },
];
