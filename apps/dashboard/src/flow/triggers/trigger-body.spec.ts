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
    const own = { methods: ['POST'], max_bytes: 1024 * 1024, respond: null, challenge: null, action: null };
    const stored = {
      name: 'shop',
      verifier: { type: 'github', id_header: null, ...none },
      when: null,
      args: null,
      ...own,
    };
    const before = formOf({ ...stored, labels: { shop: 'eu' }, wait: 2_000 } as unknown as Trigger);
    expect(bodyOf(before)).toEqual({
      name: 'shop',
      verifier: { type: 'github' },
      when: null,
      args: null,
      labels: { shop: 'eu' },
      wait: 2_000,
      ...own,
    });
    expect(patchOf(before, { ...before, name: 'store' })).toEqual({ name: 'store' });
    expect(patchOf(before, { ...before, secrets: 's' })).toEqual({ verifier: { type: 'github', secrets: ['s'] } });
  });

  it('may send an event instead of a run, answer as it says, and take other methods', () => {
    const event = {
      ...form,
      does: 'event',
      eventName: ' paid ',
      eventKey: '{{ $hook.body.id }}',
      waitSeconds: 3,
    } as const;
    expect(bodyOf(event)).toMatchObject({
      ...{ action: { type: 'event', name: 'paid', key: '{{ $hook.body.id }}', ttlMs: 86_400_000 }, wait: 0 },
    });
    expect(bodyOf({ ...event, eventName: '' })).toBeNull();
    expect(bodyOf({ ...form, respond: '{"status":200}', methods: ['GET'], maxMb: 25 })).toMatchObject({
      ...{ respond: { status: 200 }, challenge: null, methods: ['GET'], max_bytes: 26_214_400, action: null },
    });
    for (const wrong of [{ respond: '[' }, { challenge: 'x' }, { methods: [] }])
      expect(bodyOf({ ...form, ...wrong })).toBeNull();
  });

  it('has the token of its sender, and the header that has it', () => {
    expect(verifier({ type: 'gitlab', token: 't1' })).toEqual({ type: 'gitlab', token: 't1' });
    expect(verifier({ type: 'meta', token: 't1', secrets: 's1' })).toEqual({
      type: 'meta',
      token: 't1',
      secrets: ['s1'],
    });
    expect(verifier({ type: 'token', token: 't1', header: ' X-T ' })).toEqual({
      type: 'token',
      token: 't1',
      header: 'X-T',
    });
    expect(verifier({ type: 'hmac', header: 'h', secrets: 's', separator: ',', timestampPrefix: 't=' })).toMatchObject({
      ...{ separator: ',', timestamp_prefix: 't=', tolerance_seconds: 300 },
    });
  });
});
