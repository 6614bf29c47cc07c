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
 * The methods of a path; empty when no route matches. What is written out takes precedence over parameters: `/plays/bulk`
 * is not a play. It tests all routes, so it is only for requests that matched none.
 */
export function methodsAt(instance: FastifyInstance, path: string): string[] {
  const routes = allRoutes(instance);
  const matching = routes.filter(({ pattern }) => pattern.test(path));
  const best = matching.map(({ url }) => shapeOf(url)).sort()[0];
  const answering = matching.filter(({ url }) => shapeOf(url) === best);
  return [...new Set(answering.map(({ method }) => method))].sort();
}

/** Sorts the routes that match a path as the router prefers them: segment by segment, what is written out before parameters. */
function shapeOf(url: string): string {
  return url
    .split('/')
    .map((segment) => (segment.includes('*') ? 2 : segment.startsWith(':') ? 1 : 0))
    .join('');
}

/** Every route that answers, HEAD included. */
export function allRoutes(instance: FastifyInstance): readonly Route[] {
  return (instance as unknown as Record<symbol, Route[] | undefined>)[TABLE] ?? [];
}

function patternOf(url: string): RegExp {
  const escaped = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\*/g, '.*').replace(/:[A-Za-z0-9_]+/g, '[^/]+')}$`);
}
