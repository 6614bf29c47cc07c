import { describe, expect, it } from 'vitest';
import type { Trigger } from './queries';
import { bodyOf, formOf, NEW_TRIGGER, patchOf } from './trigger-body';

const form = { ...NEW_TRIGGER, name: 'shop' };
const verifier = (fields: object) => bodyOf({ ...form, ...fields })?.verifier;

describe('the body of a trigger', () => {
  it('has what its type of sender needs', () => {
    expect(verifier({ secrets: ' a\n\nb ' })).toEqual({ type: 'standard', secrets: ['a', 'b'] });
    expect(verifier({ type: 'none', secrets: 'a' })).toEqual({ type: 'none' });
    expect(verifier({ type: 'basic', username: 'u', password: 'p' })).toEqual({
      type: 'basic',
      username: 'u',
      password: 'p',
    });
    expect(verifier({ type: 'hmac', header: ' X-Sig ', secrets: 'a', prefix: 'sha256=' })).toEqual({
      type: 'hmac',
      secrets: ['a'],
      header: 'X-Sig',
      algorithm: 'sha256',
      encoding: 'hex',
      prefix: 'sha256=',
    });
  });

  it('leaves args and condition to the default when they are empty', () => {
    expect(bodyOf(form)).toMatchObject({ when: null, args: null, wait: 0 });
    expect(bodyOf({ ...form, args: '{"a":1}', when: ' {{ true }} ', waitSeconds: 1.5 })).toMatchObject({
      when: '{{ true }}',
      args: { a: 1 },
      wait: 1_500,
    });
    expect(bodyOf({ ...form, args: '[' })).toBeNull();
    expect(bodyOf(NEW_TRIGGER)).toBeNull();
  });

  it('of a stored trigger keeps its secrets, which nobody can read', () => {
    const none = { username: null, header: null, algorithm: null, encoding: null, prefix: null, template: null };
    const stored = { name: 'shop', verifier: { type: 'github', id_header: null, ...none }, when: null, args: null };
    const before = formOf({ ...stored, labels: { shop: 'eu' }, wait: 2_000 } as unknown as Trigger);
    expect(bodyOf(before)).toEqual({
      name: 'shop',
      verifier: { type: 'github' },
      when: null,
      args: null,
      labels: { shop: 'eu' },
      wait: 2_000,
    });
    expect(patchOf(before, { ...before, name: 'store' })).toEqual({ name: 'store' });
    expect(patchOf(before, { ...before, secrets: 's' })).toEqual({ verifier: { type: 'github', secrets: ['s'] } });
  });
});
