import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { isSessionOnly, mayPass, scopeAllows, type Principal } from '@weft/access';
import { WeftError } from '@weft/kernel';
import { Metrics } from '@weft/observability';
import type { FastifyRequest } from 'fastify';
import { callerOf } from './caller.js';
import { policyOf, type RoutePolicy } from './requires.js';

/** Says whether the caller may call this handler: first the token's scope, then the role (order of contract §1). */
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

/** Why a caller may not pass a route, whatever the request is about; null when the caller may. */
export function refusalBy(
  { who, scopes }: Exclude<RoutePolicy, 'public'>,
  caller: Pick<Principal, 'auth' | 'scopes' | 'role' | 'operator'>,
  method: string,
): WeftError | null {
  if (caller.auth === 'api_key' && !scopeAllows(caller.scopes, scopes, method)) return scopeRefusal(scopes);
  if (mayPass(caller, who)) return null;
  return who.includes('op')
    ? new WeftError('operator_required', 'Only an operator of this installation may do this.')
    : new WeftError('denied', `The role ${caller.role} may not do this.`);
}

function scopeRefusal(letters: string): WeftError {
  return isSessionOnly(letters)
    ? new WeftError('session_required', 'This needs a browser session; an API key cannot do it.')
    : new WeftError('insufficient_scope', 'The scopes of this API key do not cover this operation.');
}
