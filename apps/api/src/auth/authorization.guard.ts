import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { isSessionOnly, mayPass, scopeAllows } from '@weft/access';
import { WeftError } from '@weft/kernel';
import { Metrics } from '@weft/observability';
import type { FastifyRequest } from 'fastify';
import { callerOf } from './caller.js';
import { policyOf } from './requires.js';

/** Says whether the caller may call this handler: first the token's scope, then the role (order of contract §1). */
@Injectable()
export class AuthorizationGuard implements CanActivate {
  constructor(private readonly metrics: Metrics) {}

  canActivate(context: ExecutionContext): boolean {
    const policy = policyOf(context.getHandler(), context.getClass());
    if (policy === 'public') return true;
    if (!policy) throw new WeftError('denied', 'Nobody was given the right to call this.');
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = callerOf(request);
    if (caller.auth === 'api_key' && !scopeAllows(caller.scopes, policy.scopes, request.method)) {
      throw this.counted(scopeRefusal(policy.scopes));
    }
    if (!mayPass(caller, policy.who)) {
      throw this.counted(
        policy.who.includes('op')
          ? new WeftError('operator_required', 'Only an operator of this installation may do this.')
          : new WeftError('denied', `The role ${caller.role} may not do this.`),
      );
    }
    return true;
  }

  private counted(refusal: WeftError): WeftError {
    this.metrics.authFailure(refusal.code);
    return refusal;
  }
}

function scopeRefusal(letters: string): WeftError {
  return isSessionOnly(letters)
    ? new WeftError('session_required', 'This needs a browser session; an API key cannot do it.')
    : new WeftError('insufficient_scope', 'The scopes of this API key do not cover this operation.');
}
