import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { adminRoutes } from './admin/admin-routes';
import { queryClient } from './api/query-client';
import { may, meQuery } from './session/me';
import { FIGURES } from './shell/navigation';
import { NoSuchPage, PageComes, PageFailed } from './shell/page-failed';
import { rootRoute as root, shellRoute as shell } from './shell-route';
import { readApiSearch } from './apis/api-search';
import { readCompareSearch } from './compare/compare-search';
import { readFlowSearch } from './flow/flow-search';
import { readFlowsSearch } from './flows/flows-search';
import { readOverviewSearch } from './overview/overview-search';
import { readPlaySearch } from './play/play-search';
import { readPlaysPageSearch } from './plays/plays-search';
import { parseSearch, stringifySearch } from './search-params';
import { readTokenSearch } from './sign-in/token-search';

/** Every page of the dashboard. What the entry does not need is loaded when its page is opened. */
const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Record<string, unknown>): { returnTo?: string; error?: string } => ({
    ...(typeof search.returnTo === 'string' && { returnTo: search.returnTo }),
    ...(typeof search.error === 'string' && { error: search.error }),
  }),
  component: lazyRouteComponent(() => import('./sign-in/login-page'), 'LoginPage'),
});

const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  validateSearch: readTokenSearch,
  component: lazyRouteComponent(() => import('./sign-in/choose-password-page'), 'InvitePage'),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  validateSearch: readTokenSearch,
  component: lazyRouteComponent(() => import('./sign-in/choose-password-page'), 'ResetPasswordPage'),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  path: '/signed-in',
  validateSearch: (search: Record<string, unknown>): { to?: string } =>
    typeof search.to === 'string' ? { to: search.to } : {},
  component: lazyRouteComponent(() => import('./sign-in/signed-in-page'), 'SignedInPage'),
});

/** People with figures begin with the overview, everybody else with the plays. */
const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: async () => {
    const me = await queryClient.query({ ...meQuery, staleTime: 'static' });
    throw redirect({ to: me && may(me, ...FIGURES) ? '/overview' : '/plays' });
  },
});

const overview = createRoute({
  getParentRoute: () => shell,
  path: '/overview',
  validateSearch: readOverviewSearch,
  component: lazyRouteComponent(() => import('./overview/overview-page'), 'OverviewPage'),
});

const plays = createRoute({
  getParentRoute: () => shell,
  path: '/plays',
  validateSearch: readPlaysPageSearch,
  component: lazyRouteComponent(() => import('./plays/plays-page'), 'PlaysPage'),
});

const bulk = createRoute({
  getParentRoute: () => shell,
  path: '/bulk',
  component: lazyRouteComponent(() => import('./bulk/bulk-page'), 'BulkPage'),
});

const play = createRoute({
  getParentRoute: () => shell,
  path: '/plays/$playId',
  validateSearch: readPlaySearch,
  component: lazyRouteComponent(() => import('./play/play-page'), 'PlayPage'),
});

const flows = createRoute({
  getParentRoute: () => shell,
  path: '/flows',
  validateSearch: readFlowsSearch,
  component: lazyRouteComponent(() => import('./flows/flows-page'), 'FlowsPage'),
});

const flow = createRoute({
  getParentRoute: () => shell,
  path: '/flows/$flowId',
  validateSearch: readFlowSearch,
  component: lazyRouteComponent(() => import('./flow/flow-page'), 'FlowPage'),
});

const schedules = createRoute({
  getParentRoute: () => shell,
  path: '/schedules',
  component: lazyRouteComponent(() => import('./schedules/schedules-page'), 'SchedulesPage'),
});

const webhooks = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./webhooks/webhooks-page'), 'WebhooksPage'),
});

const destinations = createRoute({
  getParentRoute: () => shell,
  path: '/destinations',
  component: lazyRouteComponent(() => import('./destinations/destinations-page'), 'DestinationsPage'),
});

const webhook = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks/$webhookId',
  component: lazyRouteComponent(() => import('./webhooks/webhook-page'), 'WebhookPage'),
});

const apis = createRoute({
  getParentRoute: () => shell,
  path: '/apis',
  component: lazyRouteComponent(() => import('./apis/apis-page'), 'ApisPage'),
});

const oneApi = createRoute({
  getParentRoute: () => shell,
  path: '/apis/$apiId',
  validateSearch: readApiSearch,
  component: lazyRouteComponent(() => import('./apis/api-page'), 'ApiPage'),
});

const oneMcpServer = createRoute({
  getParentRoute: () => shell,
  path: '/mcp-servers/$serverId',
  component: lazyRouteComponent(() => import('./mcp-servers/mcp-server-page'), 'McpServerPage'),
});

const approvals = createRoute({
  getParentRoute: () => shell,
  path: '/approvals',
  component: lazyRouteComponent(() => import('./approvals/approvals-page'), 'ApprovalsPage'),
});

const compare = createRoute({
  getParentRoute: () => shell,
  path: '/compare',
  validateSearch: readCompareSearch,
  component: lazyRouteComponent(() => import('./compare/compare-page'), 'ComparePage'),
});

const docs = createRoute({
  getParentRoute: () => shell,
  path: '/docs/$',
  component: lazyRouteComponent(() => import('./docs/docs-page'), 'DocsPage'),
});

const account = createRoute({
  getParentRoute: () => shell,
  path: '/account',
  validateSearch: (search: Record<string, unknown>): { tab?: string } =>
    typeof search.tab === 'string' ? { tab: search.tab } : {},
  component: lazyRouteComponent(() => import('./account/account-page'), 'AccountPage'),
});

const routeTree = root.addChildren([
  login,
  invite,
  resetPassword,
  signedIn,
  shell.addChildren([
    home,
    overview,
    plays,
    bulk,
    play,
    flows,
    flow,
    schedules,
    webhooks,
    destinations,
    webhook,
    apis,
    oneApi,
    oneMcpServer,
    approvals,
    compare,
    docs,
    account,
    adminRoutes,
  ]),
]);

/** A page that takes longer says that it comes. */
const SLOW_MS = 300;

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: PageComes,
  defaultPendingMs: SLOW_MS,
  defaultPendingMinMs: 0,
  defaultErrorComponent: PageFailed,
  defaultNotFoundComponent: NoSuchPage,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
