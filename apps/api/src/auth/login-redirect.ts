import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { WeftError } from '@weft/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A person without a session asked for something with a browser: shown the sign-in page, not a problem (docs/http-api.md §2). */
export class LoginRedirect extends WeftError {
  constructor(
    readonly location: string,
    cause: WeftError,
  ) {
    super(cause.code, cause.message, { cause });
  }
}

/** Runs before the filter that converts all errors to problems. */
@Catch(LoginRedirect)
export class LoginRedirectFilter implements ExceptionFilter<LoginRedirect> {
  catch({ location }: LoginRedirect, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<FastifyReply>().redirect(location, 302);
  }
}

/** Where to sign in and come back: to what was asked for, where coming back by GET makes sense. */
export function loginLocation({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): string {
  const returnTo = method === 'GET' || method === 'HEAD' ? url : '/';
  return `/login?returnTo=${encodeURIComponent(returnTo)}`;
}

/** True when `Accept` names HTML and likes it better than JSON: browsers do, programs do not. */
export function prefersHtml(accept: string | undefined): boolean {
  const likes = (accept ?? '').split(',').map(toLike);
  const html = likes.findIndex(({ type }) => type === 'text/html');
  const json = findJson(likes);
  const htmlQuality = likes[html]?.quality ?? 0;
  const jsonQuality = likes[json]?.quality ?? 0;
  return htmlQuality > 0 && (htmlQuality > jsonQuality || (htmlQuality === jsonQuality && html < json));
}

interface Like {
  readonly type: string;
  readonly quality: number;
}

function toLike(range: string): Like {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((each) => each.startsWith('q='))?.slice(2);
  return { type, quality: quality === undefined ? 1 : Number(quality) || 0 };
}

/** The most specific range that JSON falls under. */
function findJson(likes: readonly Like[]): number {
  for (const range of ['application/json', 'application/*', '*/*']) {
    const at = likes.findIndex(({ type }) => type === range);
    if (at >= 0) return at;
  }
  return -1;
}
