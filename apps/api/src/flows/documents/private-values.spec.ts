import { describe, expect, it } from 'vitest';
import { fillLeftOut, LEFT_OUT } from './fill-left-out.js';
import { leftOutPlaces, withoutPrivateArgs, withoutSecretValues } from './private-values.js';

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
      body: { password: LEFT_OUT, list: [{ client_secret: [LEFT_OUT, ''] }], tokens: 'kept', password_hint: LEFT_OUT },
    });
  });

  it('leaves out what the tools of an agent name of the company', () => {
    const tools = [
      { kind: 'flow', flowId: 'f1', fixed: { flowId: 'kept' } },
      { kind: 'operation', api: 'shop', auth: { integrationId: 'i1' } },
    ];
    const args = { integrationId: 'i2', model: 'small', approvers: ['u1'], tools };
    expect(withoutPrivateArgs({ appId: 'agent', args })).toEqual({
      ...{ integrationId: LEFT_OUT, model: 'small', approvers: [LEFT_OUT] },
      tools: [
        { ...tools[0], flowId: LEFT_OUT },
        { ...tools[1], auth: { integrationId: LEFT_OUT } },
      ],
    });
  });

  it('leaves out what looks like a secret under any name, and numbers under a name that means one', () => {
    const args = {
      url: 'https://u:p4ss@host.example/?api_key=k123',
      headers: {
        authorization: "Basic {{ $base64encode('user:hunter2') }}",
        'X-Auth-Token': 5,
        'X-Custom': 'Token abc{{ .a.b }}',
        cookie: "{{ 'sid=1' }}",
      },
      body: [
        { name: 'password', value: 'hunter2' },
        { name: 'client_secret', filename: 'key.pem', content: 'k', contentType: 'text/plain' },
        { name: 'page', value: 7 },
        { name: 'token', value: '{{ .login.token }}' },
      ],
      note: 'the key is ghp_0123456789abcdef',
    };
    const without = withoutPrivateArgs({ appId: 'web-request', args });
    expect(without).toEqual({
      url: LEFT_OUT,
      headers: { authorization: LEFT_OUT, 'X-Auth-Token': LEFT_OUT, 'X-Custom': LEFT_OUT, cookie: LEFT_OUT },
      body: [
        { name: 'password', value: LEFT_OUT },
        { name: 'client_secret', filename: 'key.pem', content: LEFT_OUT, contentType: 'text/plain' },
        { name: 'page', value: 7 },
        { name: 'token', value: '{{ .login.token }}' },
      ],
      note: LEFT_OUT,
    });
    expect(leftOutPlaces({ args: without })).toHaveLength(8);
    expect(fillLeftOut(without, args, () => undefined)).toEqual(args);
  });

  it.each([
    { url: 'https://{{ $blueprint.user }}:{{ $blueprint.password }}@host.example/?page=1&token={{ .login.token }}' },
    {
      headers: { Authorization: 'Basic {{ $base64encode(.a.user & ":" & .a.pass) }}', 'X-Custom': 'Token {{ .a.b }}' },
    },
    { headers: { Authorization: '{{ $link.token }}', 'X-Api-Key': '{{ .login.json["key"] }}' } },
    { text: 'Basic facts about the order', max_tokens: 4_000, body: { secret: true, password: null } },
  ])('keeps what holds no secret: %j', (args) => {
    expect(withoutPrivateArgs({ appId: 'web-request', args })).toEqual(args);
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

describe('leftOutPlaces', () => {
  it('finds what has to be filled in, wherever it is', () => {
    const args = {
      headers: { 'X-Api-Key': LEFT_OUT, Accept: LEFT_OUT, Range: `not ${LEFT_OUT}` },
      auth: { integrationId: LEFT_OUT },
      body: [LEFT_OUT],
    };
    expect(leftOutPlaces({ args })).toEqual([
      ['headers', 'X-Api-Key'],
      ['headers', 'Accept'],
      ['auth', 'integrationId'],
      ['body', '0'],
    ]);
    expect(leftOutPlaces({ args: { approvers: ['u', LEFT_OUT] } })).toEqual([['approvers', '1']]);
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

  it('can be undone from what is stored, under names with dots and in lists', () => {
    const stored = {
      'api.token': 'k1',
      api: { token: 'k2' },
      headers: { 'x.session.token': 's', 'X-Api-Key': ['a', 'b'] },
      'list.0': { password: 'p1' },
      list: [{ password: 'p2' }],
    };
    expect(fillLeftOut(withoutSecretValues(stored), stored, () => undefined)).toEqual(stored);
  });
});
