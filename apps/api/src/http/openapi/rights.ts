import { isSessionOnly, mayPass, openingScopes, ROLES, type RouteRight } from '@weft/access';
import type { RoutePolicy } from '../../auth/requires.js';
import type { Operation } from './operations.js';

/** Names of the two security schemes. */
export const SESSION = 'session';
export const API_KEY = 'apiKey';

/**
 * Describes who may call an operation, from the same policy that the guards enforce: `security` (a session, or an API key with
 * one of the scopes; empty for public operations), `x-roles`, `x-operator` where being an operator is enough, `x-right` where
 * the right depends on the flow, and a sentence for people.
 */
export function describeRights(operation: Operation, policy: RoutePolicy, method: string): void {
  if (policy === 'public') {
    operation.security = [];
    addSentence(operation, 'Public: no credential is asked for.');
    return;
  }
  const { who } = policy;
  const scopes = [...openingScopes(policy.scopes, method.toUpperCase())];
  // several scopes in one entry would mean that all of them are needed; here each one is enough
  operation.security = [{ [SESSION]: [] }, ...scopes.map((scope) => ({ [API_KEY]: [scope] }))];
  const roles = ROLES.filter((role) => mayPass({ role, operator: false }, who));
  const permission = who.find((right) => right.kind === 'flow')?.permission;
  Object.assign(operation, {
    'x-roles': roles,
    ...(who.some(({ kind }) => kind === 'operator') && { 'x-operator': true }),
    ...(permission !== undefined && { 'x-right': permission }),
  });
  const keys = isSessionOnly(policy.scopes)
    ? 'Not for API keys.'
    : `API keys need the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;
  addSentence(operation, `For ${who.map(describeRight).join(', or ')}. ${keys}`);
}

function describeRight(right: RouteRight): string {
  switch (right.kind) {
    case 'signed_in':
      return 'everybody who is signed in';
    case 'operator':
      return 'operators of the installation';
    case 'flow':
      return `those who may ${right.permission} the flow, by role, by grant or as its maker`;
    case 'rank':
    case 'specialist':
      return right.kind === 'rank' && right.rank === 'viewer'
        ? 'every role but `none`'
        : `the roles ${rolesWith(right)}`;
  }
}

function rolesWith(right: RouteRight): string {
  const roles = ROLES.filter((role) => mayPass({ role, operator: false }, [right]));
  return roles.map((role) => `\`${role}\``).join(', ');
}

function addSentence(operation: Operation, sentence: string): void {
  operation.description = [operation.description, sentence].filter(Boolean).join('\n\n');
}
