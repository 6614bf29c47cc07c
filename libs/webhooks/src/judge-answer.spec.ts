import { describe, expect, it } from 'vitest';
import { judgeAnswer } from './judge-answer.js';
import { DEFAULT_SCHEDULE, delayBefore } from './retry-schedule.js';

const NOW = Date.parse('2026-11-24T09:00:00Z');
const judge = (statusCode: number, headers: Record<string, string> = {}) => judgeAnswer({ statusCode, headers }, NOW);

describe('an answer', () => {
  it.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [301, 'retry'],
    [304, 'retry'],
    [400, 'retry'],
    [410, 'disable'],
    [500, 'retry'],
  ])('of status %i means %s', (status, verdict) => {
    expect(judge(status).verdict).toBe(verdict);
  });

  it('can ask to give up one message, or all of them', () => {
    expect(judge(400, { 'webhook-delivery': 'abort-message' }).verdict).toBe('abort');
    expect(judge(200, { 'webhook-delivery': 'abort-message' }).verdict).toBe('delivered');
    expect(judge(500, { 'webhook-delivery': ' Disable' }).verdict).toBe('disable');
  });

  it('says how long to wait, in seconds or as a date', () => {
    expect(judge(429, { 'retry-after': '7' })).toMatchObject({ retryAfterMs: 7_000, isOverloaded: true });
    expect(judge(503, { 'retry-after': 'Tue, 24 Nov 2026 09:01:00 GMT' }).retryAfterMs).toBe(60_000);
    expect(judge(503, { 'retry-after': 'Tue, 24 Nov 2026 08:00:00 GMT' }).retryAfterMs).toBe(0);
    expect([judge(503, { 'retry-after': 'soon' }).retryAfterMs, judge(500).retryAfterMs]).toEqual([null, null]);
  });
});

describe('the schedule', () => {
  it('is that of Standard Webhooks unless the endpoint has another one', () => {
    const none = () => 0;
    expect(DEFAULT_SCHEDULE.map((_seconds, tries) => delayBefore(null, tries, null, none))).toEqual(
      DEFAULT_SCHEDULE.map((seconds) => seconds * 1_000),
    );
    expect(delayBefore(null, 10, null, none)).toBeNull();
    expect([delayBefore([0, 3], 1, null, none), delayBefore([0, 3], 2, null, none)]).toEqual([3_000, null]);
  });

  it('has up to a tenth of jitter, and waits as long as the receiver asks, up to a day', () => {
    expect(delayBefore([0, 100], 1, null, () => 1)).toBe(110_000);
    expect(delayBefore([0, 5], 1, 60_000, () => 0)).toBe(60_000);
    expect(delayBefore([0, 5], 1, 1e12, () => 0)).toBe(86_400_000);
  });
});
