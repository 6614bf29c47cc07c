import { atLeast, OPERATOR, SIGNED_IN, specialist, type RouteRight } from '@weft/access';
import type { LinkProps } from '@tanstack/react-router';
import type { IconName } from '../ui/icon';

export interface NavigationItem {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
  readonly icon: IconName;
  /** Where pages of it are, too. */
  readonly also?: string;
  /** Shown to those who have one of these; the server decides again. */
  readonly rights: readonly RouteRight[];
}

/** Who may read figures: docs/http-api.md §7. */
export const FIGURES: readonly RouteRight[] = [specialist('analytics_viewer'), atLeast('editor')];

/** Who reads APIs: editors choose operations for their layers. */
const APIS: readonly RouteRight[] = [atLeast('editor'), specialist('integration_manager')];

/** Who has a page of the admin area: `admin/admin-pages.ts`. */
const ADMIN: readonly RouteRight[] = [specialist('audit_viewer'), specialist('integration_manager'), OPERATOR];

export const NAVIGATION: readonly NavigationItem[] = [
  { to: '/overview', label: 'Overview', icon: 'overview', rights: FIGURES },
  { to: '/plays', label: 'Plays', icon: 'plays', rights: [SIGNED_IN] },
  { to: '/flows', label: 'Flows', icon: 'flows', rights: [SIGNED_IN] },
  { to: '/schedules', label: 'Schedules', icon: 'schedule', rights: [atLeast('viewer')] },
  { to: '/approvals', label: 'Approvals', icon: 'approvals', rights: [SIGNED_IN] },
  { to: '/apis', label: 'APIs', icon: 'apis', also: '/mcp-servers', rights: APIS },
  { to: '/destinations', label: 'Destinations', icon: 'out', rights: [atLeast('editor')] },
  { to: '/webhooks', label: 'Webhooks', icon: 'link', rights: [atLeast('admin')] },
  { to: '/docs/$', label: 'Documents', icon: 'docs', rights: [SIGNED_IN] },
  { to: '/admin', label: 'Admin', icon: 'admin', rights: ADMIN },
];
