import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { queryClient } from './api/query-client';
import { meQuery } from './session/me';
import { NoSuchPage, PageFailed } from './shell/page-failed';
import { Shell } from './shell/shell';

export const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: NoSuchPage,
  errorComponent: PageFailed,
});

/** Everything below has somebody signed in. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location }) => {
    const me = await queryClient.query({ ...meQuery, staleTime: 'static' });
    if (me === null) {
      queryClient.removeQueries({ queryKey: meQuery.queryKey });
      const returnTo = location.href === '/' ? {} : { returnTo: location.href };
      throw redirect({ to: '/login', search: returnTo });
    }
  },
});
