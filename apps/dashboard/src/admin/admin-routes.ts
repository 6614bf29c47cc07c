import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { queryClient } from '../api/query-client';
import { may, meQuery } from '../session/me';
import { shellRoute } from '../shell-route';
import { ADMIN_PAGES } from './admin-pages';
import { readAuditSearch } from './audit/audit-search';
import { readUsersSearch } from './users/users-search';

/** The admin area; each page is loaded when it is opened. */
const admin = createRoute({
  getParentRoute: () => shellRoute,
  path: '/admin',
  component: lazyRouteComponent(() => import('./admin-layout'), 'AdminLayout'),
});

/** The first page that the caller may see. */
const first = createRoute({
  getParentRoute: () => admin,
  path: '/',
  component: lazyRouteComponent(() => import('./admin-layout'), 'NoAdminPage'),
  beforeLoad: async () => {
    const me = await queryClient.query({ ...meQuery, staleTime: 'static' });
    const page = me && ADMIN_PAGES.find(({ rights }) => may(me, ...rights));
    if (page) throw redirect({ to: page.to });
  },
});

const users = createRoute({
  getParentRoute: () => admin,
  path: '/users',
  validateSearch: readUsersSearch,
  component: lazyRouteComponent(() => import('./users/users-page'), 'UsersPage'),
});

const user = createRoute({
  getParentRoute: () => admin,
  path: '/users/$userId',
  component: lazyRouteComponent(() => import('./users/user-page'), 'UserPage'),
});

const groups = createRoute({
  getParentRoute: () => admin,
  path: '/groups',
  component: lazyRouteComponent(() => import('./groups/groups-page'), 'GroupsPage'),
});

const group = createRoute({
  getParentRoute: () => admin,
  path: '/groups/$groupId',
  component: lazyRouteComponent(() => import('./groups/group-page'), 'GroupPage'),
});

const grants = createRoute({
  getParentRoute: () => admin,
  path: '/grants',
  component: lazyRouteComponent(() => import('./access/grants-page'), 'GrantsPage'),
});

const roles = createRoute({
  getParentRoute: () => admin,
  path: '/roles',
  component: lazyRouteComponent(() => import('./roles-page'), 'RolesPage'),
});

const keys = createRoute({
  getParentRoute: () => admin,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys-page'), 'KeysPage'),
});

const company = createRoute({
  getParentRoute: () => admin,
  path: '/company',
  component: lazyRouteComponent(() => import('./company/company-page'), 'CompanyPage'),
});

const integrations = createRoute({
  getParentRoute: () => admin,
  path: '/integrations',
  component: lazyRouteComponent(() => import('./integrations/integrations-page'), 'IntegrationsPage'),
});

const retention = createRoute({
  getParentRoute: () => admin,
  path: '/retention',
  component: lazyRouteComponent(() => import('./retention/retention-page'), 'RetentionPage'),
});

const audit = createRoute({
  getParentRoute: () => admin,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('./audit/audit-page'), 'AuditPage'),
});

const queue = createRoute({
  getParentRoute: () => admin,
  path: '/queue',
  component: lazyRouteComponent(() => import('./queue/queue-page'), 'QueuePage'),
});

const jobs = createRoute({
  getParentRoute: () => admin,
  path: '/jobs',
  component: lazyRouteComponent(() => import('./queue/jobs-page'), 'JobsPage'),
});

const providers = createRoute({
  getParentRoute: () => admin,
  path: '/providers',
  component: lazyRouteComponent(() => import('./providers/providers-page'), 'ProvidersPage'),
});

const settings = createRoute({
  getParentRoute: () => admin,
  path: '/settings',
  component: lazyRouteComponent(() => import('./installation/settings-page'), 'SettingsPage'),
});

const health = createRoute({
  getParentRoute: () => admin,
  path: '/health',
  component: lazyRouteComponent(() => import('./installation/health-page'), 'HealthPage'),
});

const people = [users, user, groups, group, grants, roles, keys] as const;
const ofCompany = [company, integrations, retention, audit] as const;
const ofInstallation = [queue, jobs, providers, settings, health] as const;

export const adminRoutes = admin.addChildren([first, ...people, ...ofCompany, ...ofInstallation]);
