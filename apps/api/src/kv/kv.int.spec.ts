import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { KV_STORES, type KvDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../test/api/live-api.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const viewer = await person('viewer', editor.scope.companyId);
const stranger = await person('admin');
const KV = '/api/v1/kv';
const set = (key: string, body: object, by: Person = editor) =>
  by.send('PUT', `${KV}/${encodeURIComponent(key)}`, { body });

describe('the key-value store', () => {
  it('keeps what is set under a key, until it is deleted', async () => {
    const value = { $any: ['json', null, 1.5], 'a.b': {} };
    const entry = { id: 'a/b ü', key: 'a/b ü', value, version: expect.any(Number) as number, expires_at: null };
    expect(await set('a/b ü', { value })).toMatchObject({ status: 200, body: entry });
    const path = `/api/kv/${encodeURIComponent('a/b ü')}`;
    expect(await viewer.send('GET', path)).toMatchObject({ status: 200, body: entry });
    expect((await set('a/b ü', { value: null, ttlMs: 60_000 })).body).toMatchObject({ value: null });
    const { body } = await viewer.send('GET', path);
    expect(Date.parse(textOf(body.expires_at)) - Date.now()).toBeGreaterThan(50_000);
    expect((await editor.send('DELETE', path)).status).toBe(204);
    expect((await editor.send('DELETE', path)).body).toMatchObject({ status: 404, code: 'not_found' });
    expect((await viewer.send('GET', path)).status).toBe(404);
  });

  it('is listed newest first, page by page, by the beginning of keys', async () => {
    for (const key of ['list.1', 'list.2', 'other', 'list.3'])
      expect((await set(key, { value: key })).status).toBe(200);
    const first = (await viewer.send('GET', `${KV}?prefix=list.&size=2`)).body;
    expect(first).toMatchObject({ total: 3, items: [{ key: 'list.3' }, { key: 'list.2' }] });
    const rest = (await viewer.send('GET', `${KV}?prefix=list.&size=2&cursor=${textOf(first.nextCursor)}`)).body;
    expect(rest).toMatchObject({ nextCursor: null, items: [{ id: 'list.1', key: 'list.1', value: 'list.1' }] });
  });

  it.each([
    ['no value', 'k', {}, 400, 'invalid_body'],
    ['a field that it does not know', 'k', { value: 1, ttl: 5 }, 400, 'unknown_field'],
    ['no time to live at all', 'k', { value: 1, ttlMs: 0 }, 400, 'invalid_body'],
    ['a long key', 'k'.repeat(201), { value: 1 }, 400, 'invalid_body'],
    ['control characters in a key', 'a\nb', { value: 1 }, 400, 'invalid_body'],
    ['a value over 64 KB', 'k', { value: 'x'.repeat(65_535) }, 422, 'value_too_large'],
  ])('refuses %s', async (_what, key, body, status, code) => {
    expect((await set(key, body)).body).toMatchObject({ status, code });
    expect(await mongo.collection<KvDocument>(KV_STORES).countDocuments({ key })).toBe(0);
  });

  it('is set and deleted only in the version that If-Match names, or only if nothing is there', async () => {
    const path = `${KV}/versioned`;
    const put = (value: unknown, headers: Record<string, string>) =>
      editor.send('PUT', path, { body: { value }, headers });
    const conflict = { status: 412, code: 'version_conflict' };
    expect((await put(1, { 'if-match': '*' })).body).toMatchObject(conflict);
    const made = await Promise.all(Array.from({ length: 8 }, (_, i) => put(i, { 'if-none-match': '*' })));
    expect(made.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 412)]);
    const tag = String((await viewer.send('GET', path)).headers.etag);
    expect(made.find(({ status }) => status === 200)?.headers).toMatchObject({ etag: tag });
    expect((await put(2, { 'if-match': '"1"' })).body).toMatchObject(conflict);
    const rivals = await Promise.all(Array.from({ length: 8 }, (_, i) => put(i, { 'if-match': tag })));
    expect(rivals.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await editor.send('DELETE', path, { headers: { 'if-match': tag } })).body).toMatchObject(conflict);
    expect((await put(3, { 'if-match': '*' })).status).toBe(200);
    expect((await put(3, { 'if-none-match': '"7"' })).body).toMatchObject({ status: 400, code: 'invalid_body' });
    const now = String((await viewer.send('GET', path)).headers.etag);
    expect((await editor.send('DELETE', path, { headers: { 'if-match': now } })).status).toBe(204);
    expect((await editor.send('DELETE', path, { headers: { 'if-match': now } })).status).toBe(404);
  });

  it('is never that of another company', async () => {
    await set('ours', { value: 'ours' });
    expect((await stranger.send('GET', `${KV}/ours`)).status).toBe(404);
    expect((await stranger.send('DELETE', `${KV}/ours`)).status).toBe(404);
    expect((await stranger.send('GET', KV)).body).toMatchObject({ total: 0, items: [] });
    expect((await set('ours', { value: 'theirs' }, stranger)).status).toBe(200);
    expect((await viewer.send('GET', `${KV}/ours`)).body.value).toBe('ours');
    expect((await set('ours', { value: 1 }, viewer)).status).toBe(403);
  });

  it('audits each change, figures as they are and texts by their size', async () => {
    await set('audited', { value: 'private' });
    await set('audited', { value: 3 });
    await editor.send('DELETE', `${KV}/audited`);
    const entries = await mongo
      .collection<AuditDocument>(AUDIT_LOGS)
      .find({ resource_type: 'kv_entry', resource_id: 'audited' })
      .sort({ _id: 1 })
      .toArray();
    expect(entries.map(({ action_type, UserID, changes }) => [action_type, UserID, changes])).toEqual([
      ['kv_entry_set', editor.userId, { value_bytes: { before: null, after: 9 } }],
      ['kv_entry_set', editor.userId, { value: { before: null, after: 3 }, value_bytes: { before: 9, after: null } }],
      ['kv_entry_deleted', editor.userId, { value: { before: 3, after: null } }],
    ]);
  });
});
