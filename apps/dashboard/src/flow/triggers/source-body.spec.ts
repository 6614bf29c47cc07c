import { describe, expect, it } from 'vitest';
import type { Trigger } from './queries';
import { sourceBodyOf, sourceFormOf } from './source-body';

describe('the body of a trigger that reads', () => {
  const form = { ...sourceFormOf(undefined), name: ' orders ', integrationId: 'link', topic: ' shop.orders ' };

  it('has what is typed, and says nothing of what is left empty', () => {
    expect(sourceBodyOf({ ...form, args: '', when: ' {{ true }} ' })).toEqual({
      ...{ name: 'orders', type: 'kafka', when: '{{ true }}', args: null },
      source: { integrationId: 'link', topic: 'shop.orders', start: 'latest', onPoison: 'skip' },
    });
    const at = '2026-01-31T12:00:00Z';
    expect(sourceBodyOf({ ...form, start: 'time', startAt: at })?.source).toMatchObject({ start: at });
  });

  it('is not ready while something is missing or no JSON', () => {
    for (const wrong of [
      { name: ' ' },
      { topic: '' },
      { integrationId: null },
      { start: 'time' as const },
      { args: '[' },
    ])
      expect(sourceBodyOf({ ...form, ...wrong })).toBeNull();
  });

  it('of a stored trigger is what is stored', () => {
    const source = { integrationId: 'link', topic: 'orders', start: '2026-01-31T12:00:00Z', onPoison: 'stop' } as const;
    const stored = { name: 'orders', type: 'kafka', source, when: null, args: { a: 1 } } as const;
    expect(sourceBodyOf(sourceFormOf(stored as unknown as Trigger))).toEqual(stored);
  });

  const request = { appId: 'web-request', args: { url: 'https://example.com/' } };
  it.each([
    ['sqs', { integrationId: 'link', queueUrl: 'https://sqs.example/1/q', onPoison: 'skip' }],
    [
      'poll',
      { request, items: '{{ .out.json }}', id: '{{ $item.id }}', everySeconds: 60, start: 'latest', onPoison: 'skip' },
    ],
    ['rss', { url: 'https://example.com/feed', everySeconds: 60, start: 'earliest', onPoison: 'skip' }],
    ['imap', { integrationId: 'link', folder: 'INBOX', everySeconds: 60, start: 'latest', onPoison: 'stop' }],
  ])('of the type %s is what is stored, and needs what the type needs', (type, source) => {
    const stored = { name: 'orders', type, source, when: null, args: { a: 1 } };
    const filled = sourceFormOf(stored as unknown as Trigger);
    expect(sourceBodyOf(filled)).toEqual(stored);
    const empty = { integrationId: null, queueUrl: '', url: '', items: '' };
    expect(sourceBodyOf({ ...filled, ...empty })).toBeNull();
  });
});
