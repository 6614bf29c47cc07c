import { describe, expect, it } from 'vitest';
import { CompanyLimits, type CompanyRules } from './company-limits.js';

const SMALL: CompanyRules = {
  ...{ isStopped: true, backlogMax: 3, runsPerSecond: null, bytesMax: null, bytesStored: 0 },
  workerLabel: 'acme',
};

describe('CompanyLimits', () => {
  it('answers at once with the limit of the installation, then with the company’s own', async () => {
    const asked: string[] = [];
    const limits = new CompanyLimits(100, (ids) => {
      asked.push(...ids);
      return Promise.resolve(new Map([['small', SMALL]]));
    });
    expect([limits.backlogMax('small'), limits.backlogMax('other')]).toEqual([100, 100]);
    expect([await limits.isStopped('small'), await limits.isStopped('other')]).toEqual([true, false]);
    expect([limits.backlogMax('small'), limits.backlogMax('other')]).toEqual([3, 100]);
    expect([limits.isStopped('small'), limits.isStopped('other')]).toEqual([true, false]);
    expect(asked).toEqual(['small', 'other']);
  });

  it('reads again what has changed', async () => {
    let rules = SMALL;
    const limits = new CompanyLimits(100, (ids) => Promise.resolve(new Map(ids.map((id) => [id, rules]))));
    expect(await limits.isStopped('c')).toBe(true);
    rules = { ...SMALL, isStopped: false };
    limits.drop('c');
    expect(await limits.isStopped('c')).toBe(false);
  });

  it('keeps its limits while the store is unreachable, and says of no company that it is not stopped', async () => {
    const limits = new CompanyLimits(100, () => Promise.reject(new Error('unreachable')));
    expect(limits.backlogMax('c')).toBe(100);
    await expect(limits.isStopped('c')).rejects.toThrow('unreachable');
    expect(limits.backlogMax('c')).toBe(100);
  });

  it('knows the label of a company by the question whether it is stopped, and asks none of its own', async () => {
    const asked: string[] = [];
    const limits = new CompanyLimits(100, (ids) => {
      asked.push(...ids);
      return Promise.resolve(new Map([['small', SMALL]]));
    });
    await Promise.all(['small', 'unknown'].map(async (id) => limits.isStopped(id)));
    expect(['small', 'unknown'].map((id) => limits.workerLabel(id))).toEqual(['acme', null]);
    expect(asked).toEqual(['small', 'unknown']);
    expect(await new CompanyLimits(100, () => Promise.resolve(new Map([['small', SMALL]]))).workerLabel('small')).toBe(
      'acme',
    );
    await expect(
      Promise.resolve(new CompanyLimits(1, () => Promise.reject(new Error('away'))).workerLabel('small')),
    ).rejects.toThrow('away');
  });
});
