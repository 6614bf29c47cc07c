import type { FastifyInstance } from 'fastify';

const TABLE = Symbol('routes');

interface Route {
  readonly url: string;
  readonly pattern: RegExp;
  readonly method: string;
}

/** Records every route that is registered from now on, to distinguish an unknown path (404) from a missing method (405). */
export function rememberRoutes(instance: FastifyInstance): void {
  const routes: Route[] = [];
  instance.decorate(TABLE, routes);
  instance.addHook('onRoute', ({ url, method }) => {
    for (const each of [method].flat()) routes.push({ url, pattern: patternOf(url), method: each });
  });
}

/**
 * The methods of a path; empty when no route matches. A literal path takes precedence over one with parameters: `/plays/bulk`
 * is not a play. It tests all routes, so it is only for requests that matched none.
 */
export function methodsAt(instance: FastifyInstance, path: string): string[] {
  const routes = allRoutes(instance);
  const writtenOut = routes.filter(({ url }) => url === path);
  const answering = writtenOut.length > 0 ? writtenOut : routes.filter(({ pattern }) => pattern.test(path));
  return [...new Set(answering.map(({ method }) => method))].sort();
}

/** Every route that answers, HEAD included. */
export function allRoutes(instance: FastifyInstance): readonly Route[] {
  return (instance as unknown as Record<symbol, Route[] | undefined>)[TABLE] ?? [];
}

function patternOf(url: string): RegExp {
  const escaped = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\*/g, '.*').replace(/:[A-Za-z0-9_]+/g, '[^/]+')}$`);
}
