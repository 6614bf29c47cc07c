import { describe, expect, it } from 'vitest';
import { parseScopes } from './scopes.js';

describe('parseScopes', () => {
  it('reads a comma-separated list and tells what it does not know', () => {
    expect(parseScopes(' api:read,flow:execute ,api:read,')).toEqual({
      scopes: ['api:read', 'flow:execute'],
      unknown: [],
    });
    expect(parseScopes('api,root,constructor')).toEqual({ scopes: ['api'], unknown: ['root', 'constructor'] });
  });
});
