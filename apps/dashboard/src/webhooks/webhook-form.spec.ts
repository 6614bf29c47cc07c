import { describe, expect, it } from 'vitest';
import { bodyOf, NEW_WEBHOOK, patchOf } from './webhook-form';

const form = { ...NEW_WEBHOOK, name: 'shop', url: 'https://example.com/hook?key=[redacted]' };

describe('the body of a webhook', () => {
  it('limits nothing that was left empty', () => {
    expect(bodyOf(form)).toEqual({
      name: 'shop',
      url: form.url,
      events: ['play.done', 'play.failed'],
      flow_ids: null,
      labels: null,
      rate_per_second: null,
      max_in_flight: 10,
      ordered: false,
      include_out: false,
    });
    expect(bodyOf({ ...form, flowIds: ['f'], labels: 'shop=eu' })).toMatchObject({
      flow_ids: ['f'],
      labels: { shop: 'eu' },
    });
  });

  it('is none without events, name or address', () => {
    expect(bodyOf({ ...form, events: [] })).toBeNull();
    expect(bodyOf(NEW_WEBHOOK)).toBeNull();
  });

  it('does not send back an address that was not shown whole', () => {
    expect(patchOf(form, { ...form, name: 'other' })).not.toHaveProperty('url');
    expect(patchOf(form, { ...form, url: 'https://example.com/new' })).toMatchObject({
      url: 'https://example.com/new',
    });
  });
});
