import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { changed, changeOf } from './changed.js';
import { settingsShape, shownSettings } from './flow.js';
import { layerOptionsShape, NO_OPTIONS } from './layer.js';

const options = (change: Parameters<typeof changed<typeof layerOptionsShape>>[2], present = NO_OPTIONS) =>
  changed(layerOptionsShape, present, change);

describe('a change', () => {
  it('keeps what it does not name', () => {
    const before = options({ timeoutMs: 5, repeat: { until: 'true' } });
    expect(options({ stage: 's' }, before)).toEqual({ ...before, stage: 's' });
  });

  it('replaces an option as a whole, with what holds for the fields that it leaves out', () => {
    const before = options({ retry: { attempts: 5, delayMs: 7, on: ['429'] } });
    expect(options({ retry: { attempts: 2 } }, before).retry).toEqual({
      ...{ attempts: 2, backoff: 'exponential', delayMs: 1_000, maxDelayMs: 60_000 },
    });
  });

  it('takes away what is null, and nothing is stored for it where nothing holds', () => {
    const before = options({ timeoutMs: 5, repeat: { until: 'true' } });
    expect(options({ timeoutMs: null, repeat: null }, before)).toEqual(NO_OPTIONS);
    expect(NO_OPTIONS).not.toHaveProperty('repeat');
  });

  it('of an agent leaves alone what it does not name', () => {
    expect(changeOf(settingsShape).parse({ lane: 'x' })).toEqual({ lane: 'x' });
    expect(settingsShape.parse({ lane: 'x' })).toHaveProperty('concurrency', null);
    expect(changeOf(settingsShape).safeParse({ concurrency: 1_001 }).success).toBe(false);
    const { properties } = z.toJSONSchema(changeOf(settingsShape), { io: 'input' });
    expect(properties?.concurrency).toMatchObject({ description: expect.stringContaining('run at once') as string });
  });
});

it('shows every setting, also those that the flow does not use', () => {
  const shown = shownSettings({ ...settingsShape.parse({}), labels: { shop: 'eu' } });
  expect(Object.keys(shown)).toEqual(Object.keys(settingsShape.shape));
  expect(shown).toMatchObject({ lane: null, onLaneFail: 'continue', labels: { shop: 'eu' }, publish: 'auto' });
});
