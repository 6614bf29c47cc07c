import { describe, expect, it } from 'vitest';
import { CompanyLimits } from './company-limits.js';

describe('CompanyLimits', () => {
  it('answers at once with the limit of the installation, then with the company’s own', async () => {
    const asked: string[] = [];
    const limits = new CompanyLimits(100, (id) => {
      asked.push(id);
      return Promise.resolve(id === 'small' ? 3 : null);
    });
    expect([limits.backlogMax('small'), limits.backlogMax('other')]).toEqual([100, 100]);
    await Promise.resolve();
    expect([limits.backlogMax('small'), limits.backlogMax('other')]).toEqual([3, 100]);
    expect(asked).toEqual(['small', 'other']);
  });

  it('keeps what it knows while the store is unreachable', async () => {
    const limits = new CompanyLimits(100, () => Promise.reject(new Error('unreachable')));
    expect(limits.backlogMax('c')).toBe(100);
    await Promise.resolve();
    expect(limits.backlogMax('c')).toBe(100);
  });
});
