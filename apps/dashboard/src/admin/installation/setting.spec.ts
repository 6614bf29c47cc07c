import { describe, expect, it } from 'vitest';
import { settingText, valueOf } from './setting';

describe('a setting', () => {
  it('is shown as text, and read back as what it was', () => {
    for (const value of [7, true, 'info', false]) expect(valueOf(settingText(value), value)).toBe(value);
    expect([settingText(null), settingText(''), settingText(['a'])]).toEqual(['–', '–', '["a"]']);
  });
});
