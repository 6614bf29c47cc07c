import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { isSessionOnly, mayPass, scopeAllows, type Principal, type RouteScopes } from '@weft/access';
import { WeftError } from '@weft/kernel';
import { Metrics } from '@weft/observability';
import type { FastifyRequest } from 'fastify';
import { callerOf } from './caller.js';
import { policyOf, type RoutePolicy } from './requires.js';

/** Decides whether the caller may call the handler: first by the scopes of the API key, then by the role. */
@Injectable()
export class AuthorizationGuard implements CanActivate {
  constructor(private readonly metrics: Metrics) {}

  canActivate(context: ExecutionContext): boolean {
    const policy = policyOf(context.getHandler(), context.getClass());
    if (policy === 'public') return true;
    if (!policy) throw new WeftError('denied', 'Nobody was given the right to call this.');
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const refusal = refusalBy(policy, callerOf(request), request.method);
    if (!refusal) return true;
    this.metrics.authFailure(refusal.code);
    throw refusal;
  }
}

/** Why the caller may not call a route, whatever it is called for; null when the caller may. */
export function refusalBy(
  { who, scopes }: Exclude<RoutePolicy, 'public'>,
  caller: Pick<Principal, 'auth' | 'scopes' | 'role' | 'operator'>,
  method: string,
): WeftError | null {
  if (caller.auth === 'api_key' && !scopeAllows(caller.scopes, scopes, method)) return scopeRefusal(scopes);
  if (mayPass(caller, who)) return null;
  return who.some(({ kind }) => kind === 'operator')
    ? new WeftError('operator_required', 'Only an operator of this installation may do this.')
    : new WeftError('denied', `The role ${caller.role} may not do this.`);
}

function scopeRefusal(scopes: RouteScopes): WeftError {
  return isSessionOnly(scopes)
    ? new WeftError('session_required', 'This needs a browser session; an API key cannot do it.')
    : new WeftError('insufficient_scope', 'The scopes of this API key do not cover this operation.');
}
