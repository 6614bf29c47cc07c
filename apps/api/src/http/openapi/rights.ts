import { isSessionOnly, mayPass, openingScopes, ROLES, type Who } from '@weft/access';
import type { RoutePolicy } from '../../auth/requires.js';
import type { Operation } from './operations.js';

/** Names of the two security schemes. */
export const SESSION = 'session';
export const API_KEY = 'apiKey';

/** What `E:` rights are called where the object decides. */
const RIGHT = /^E:(?<right>\w+)$/;

/**
 * Says who may call an operation, from what the guards themselves go by: `security` (a session, or a key with one of the
 * scopes; nothing for public ones), `x-roles`, `x-operator` where the flag of an operator is enough, `x-right` where the flow
 * or play decides, and a sentence for people.
 */
export function describeRights(operation: Operation, policy: RoutePolicy, method: string): void {
  if (policy === 'public') {
    operation.security = [];
    addSentence(operation, 'Public: no credential is asked for.');
    return;
  }
  const { who, scopes: letters } = policy;
  const scopes = [...openingScopes(letters, method.toUpperCase())];
  // a list of scopes would mean all of them: each of these is enough
  operation.security = [{ [SESSION]: [] }, ...scopes.map((scope) => ({ [API_KEY]: [scope] }))];
  const roles = ROLES.filter((role) => mayPass({ role, operator: false }, who));
  const rights = who.flatMap((one) => RIGHT.exec(one)?.groups?.right ?? []);
  Object.assign(operation, {
    'x-roles': roles,
    ...(who.includes('op') && { 'x-operator': true }),
    ...(rights.length > 0 && { 'x-right': rights[0] }),
  });
  const keys = isSessionOnly(letters)
    ? 'Not for API keys.'
    : `API keys need the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;
  addSentence(operation, `For ${who.map(describeWho).join(', or ')}. ${keys}`);
}

function describeWho(who: Who): string {
  const right = RIGHT.exec(who)?.groups?.right;
  if (right !== undefined) return `those who may ${right} the flow, by role, by grant or as its maker`;
  switch (who) {
    case 'any':
      return 'everybody who is signed in';
    case 'viewer':
      return 'every role but `none`';
    case 'op':
      return 'operators of the installation';
    default:
      return `the roles ${ROLES.filter((role) => mayPass({ role, operator: false }, [who]))
        .map((role) => `\`${role}\``)
        .join(', ')}`;
  }
}

function addSentence(operation: Operation, sentence: string): void {
  operation.description = [operation.description, sentence].filter(Boolean).join('\n\n');
}
