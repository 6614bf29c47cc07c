import { TRIGGERS, type TriggerDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../test/api/live-api.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');

const request = { appId: 'web-request', args: { url: 'https://api.example.com/{{ $prev.args.cursor }}' } };
const poll = { request, items: '{{ .out.json }}', id: '{{ $item.id }}' };

async function make(type: string, source: object, by: Person = editor, more: object = {}) {
  const flow = textOf((await by.send('POST', '/api/v1/flows', { body: { name: 'orders' } })).body.id);
  return by.send('POST', `/api/v1/flows/${flow}/triggers`, { body: { name: 'reads', type, source, ...more } });
}

async function newLink(by: Person, body: object): Promise<string> {
  const made = await by.send('POST', '/api/v1/integrations', { body: { name: 'link', type: 'service', ...body } });
  expect([made.status, made.body]).toEqual([201, expect.anything()]);
  return textOf(made.body.id);
}

describe('a trigger that polls', () => {
  it('has what holds where it says nothing, and no address', async () => {
    const made = await make('poll', poll);
    expect(made).toMatchObject({ status: 201, body: { type: 'poll', url: null } });
    expect(made.body.source).toEqual({ ...poll, everySeconds: 300, start: 'latest', onPoison: 'skip' });
    const stored = await mongo.collection<TriggerDocument>(TRIGGERS).findOne({ _id: textOf(made.body.id) });
    expect(stored?.source).toEqual(made.body.source);
  });

  it.each([
    [
      'a request without an address',
      { ...poll, request: { appId: 'web-request', args: {} } },
      'invalid_args',
      'source.request.args.url',
    ],
    [
      'pages',
      { ...poll, request: { ...request, args: { ...request.args, paginate: { next: '{{ $page.json.n }}' } } } },
      'invalid_args',
      'source.request.args.paginate',
    ],
    ['an expression that is none', { ...poll, items: '{{ .out.json[ }}' }, 'invalid_expression', 'source.items'],
    ['a text for a list', { ...poll, items: 'all of {{ .out.json }}' }, 'invalid_expression', 'source.items'],
    ['what other layers gave', { ...poll, cursor: '{{ .other.json }}' }, 'invalid_expression', 'source.cursor'],
    [
      'a module that lists nothing',
      { ...poll, request: { appId: 's3', args: { integrationId: 'x', op: 'get', bucket: 'orders', key: 'k' } } },
      'invalid_args',
      'source.request.args.op',
    ],
    ['no id', { request, items: '{{ .out.json }}' }, 'invalid_body', 'source.id'],
    ['a topic', { ...poll, topic: 'orders' }, 'invalid_body', 'source.topic'],
    ['a time', { ...poll, start: '2026-01-31T12:00:00Z' }, 'invalid_body', 'source.start'],
  ])('is refused with %s', async (_what, source, code, path) => {
    const { status, body } = await make('poll', source);
    expect([status, body.code]).toEqual([code === 'invalid_body' ? 400 : 422, code]);
    expect(body.errors).toEqual(expect.arrayContaining([expect.objectContaining({ path })]));
  });

  it('uses no link that its editor may not use', async () => {
    const admin = await person('admin', editor.scope.companyId);
    const id = await newLink(admin, { kind: 'bearer', access_token: 'a-secret', endpoint: 'https://api.example.com' });
    const args = { ...request.args, auth: { integrationId: id } };
    const source = { ...poll, request: { appId: 'web-request', args } };
    expect(await make('poll', source)).toMatchObject({ status: 403, body: { code: 'denied' } });
    expect(await make('poll', source, admin)).toMatchObject({ status: 201 });
    const hidden = { ...args, auth: { integrationId: '{{ $prev.args.cursor }}' } };
    expect(await make('poll', { ...poll, request: { appId: 'web-request', args: hidden } })).toMatchObject({
      status: 403,
    });
  });

  it('is judged again when somebody changes what it reads, and not when something else changes', async () => {
    const admin = await person('admin', editor.scope.companyId);
    const id = await newLink(admin, { kind: 'bearer', access_token: 'a-secret', endpoint: 'https://api.example.com' });
    const source = {
      ...poll,
      request: { appId: 'web-request', args: { ...request.args, auth: { integrationId: id } } },
    };
    const made = await make('poll', source, admin);
    const path = `/api/v1/flows/${textOf(made.body.flowId)}/triggers/${textOf(made.body.id)}`;
    expect(await editor.send('PATCH', path, { body: { name: 'other' } })).toMatchObject({ status: 200 });
    const changed = { ...source, everySeconds: 60 };
    expect(await editor.send('PATCH', path, { body: { source: changed } })).toMatchObject({ status: 403 });
    expect(await admin.send('PATCH', path, { body: { source: changed } })).toMatchObject({ status: 200 });
  });
});

describe('triggers that read', () => {
  it.each([
    ['rss', { url: 'https://example.com/feed.xml' }, { everySeconds: 300, start: 'latest', onPoison: 'skip' }],
    ['imap', {}, { everySeconds: 300, start: 'latest', onPoison: 'skip', folder: 'INBOX' }],
    ['sqs', { queueUrl: 'https://sqs.eu-central-1.amazonaws.com/123456789012/orders' }, { onPoison: 'skip' }],
  ])('of the type %s have what holds where they say nothing', async (type, given, otherwise) => {
    const admin = await person('admin');
    const integrationId = await newLink(admin, {
      kind: 'basic',
      username: 'u',
      password: 'a-secret',
      endpoint: 'imaps://mail.example.com',
    });
    const source = type === 'rss' ? given : { ...given, integrationId };
    const made = await make(type, source, admin);
    expect(made.status).toBe(201);
    expect(made.body.source).toEqual({ ...source, ...otherwise });
  });

  it('of a feed in a file, or at once again, are refused', async () => {
    expect(await make('rss', { url: 'file:///etc/passwd' })).toMatchObject({ status: 400 });
    expect(await make('rss', { url: 'https://example.com/', everySeconds: 1 })).toMatchObject({ status: 400 });
  });
});
