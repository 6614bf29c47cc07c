import { describe, expect, it } from 'vitest';
import { LEFT_OUT, leftOutPaths, withKeptValues, withoutPrivateArgs, withoutSecretValues } from './private-values.js';

describe('withoutPrivateArgs', () => {
  it('leaves out secrets by their names, at any depth, and keeps expressions', () => {
    const args = {
      url: 'https://example.com',
      headers: {
        Authorization: 'Bearer {{ $blueprint.token }}',
        'X-Api-Key': 'abc',
        Cookie: 'sid={{ $prev.args.sid }}',
        Accept: 'text/html',
      },
      body: { password: 'p', list: [{ client_secret: ['x', ''] }], tokens: 'kept', password_hint: 7 },
    };
    expect(withoutPrivateArgs({ appId: 'web-request', args })).toEqual({
      url: 'https://example.com',
      headers: {
        Authorization: 'Bearer {{ $blueprint.token }}',
        'X-Api-Key': LEFT_OUT,
        Cookie: LEFT_OUT,
        Accept: 'text/html',
      },
      body: { password: LEFT_OUT, list: [{ client_secret: [LEFT_OUT, ''] }], tokens: 'kept', password_hint: 7 },
    });
  });

  it.each([
    ['web-request', { url: 'x', auth: { integrationId: 'i1' } }, { url: 'x', auth: { integrationId: LEFT_OUT } }],
    ['run-flow', { flowId: 'f1', args: { flowId: 'kept' } }, { flowId: LEFT_OUT, args: { flowId: 'kept' } }],
    ['run-flow', { flowId: '{{ $prev.args.flow }}' }, { flowId: '{{ $prev.args.flow }}' }],
    ['approval', { message: 'm', approvers: ['u1', 'u2'] }, { message: 'm', approvers: [LEFT_OUT, LEFT_OUT] }],
    ['text-template', { template: 'flowId' }, { template: 'flowId' }],
  ])('leaves out the ids of the company in %s', (appId, args, without) => {
    expect(withoutPrivateArgs({ appId, args })).toEqual(without);
  });
});

describe('leftOutPaths', () => {
  it('finds what has to be filled in, and only where something is left out', () => {
    const args = {
      headers: { 'X-Api-Key': LEFT_OUT, Accept: LEFT_OUT },
      auth: { integrationId: LEFT_OUT },
      body: [LEFT_OUT],
    };
    expect(leftOutPaths({ appId: 'web-request', args })).toEqual(['headers.X-Api-Key', 'auth.integrationId']);
    expect(leftOutPaths({ appId: 'approval', args: { approvers: ['u', LEFT_OUT] } })).toEqual(['approvers.1']);
  });
});

describe('withoutSecretValues', () => {
  it('leaves a text with a secret beside an expression out', () => {
    expect(
      withoutSecretValues({ token: 'abc{{ $prev.args.x }}', apiKey: '{{ "}}" }}x', host: 'h', password: '' }),
    ).toEqual({
      token: LEFT_OUT,
      apiKey: LEFT_OUT,
      host: 'h',
      password: '',
    });
  });
});

describe('withKeptValues', () => {
  it('gives back everything that an export leaves out, under names with dots and in lists', () => {
    const stored = {
      'api.token': 'k1',
      api: { token: 'k2' },
      headers: { 'x.session.token': 's', 'X-Api-Key': ['a', 'b'] },
      'list.0': { password: 'p1' },
      list: [{ password: 'p2' }],
    };
    expect(withKeptValues(withoutSecretValues(stored), stored)).toEqual(stored);
  });

  it('keeps the placeholder where nothing is stored at exactly this place', () => {
    const left = { 'headers.token': LEFT_OUT, headers: { apiKey: LEFT_OUT } };
    expect(withKeptValues(left, { headers: { token: 's' }, 'headers.apiKey': 'k' })).toEqual(left);
  });
});
