import { describe, expect, it } from 'vitest';
import { AiUsageMeter } from './ai-usage-meter.js';

const PRICES = [
  { provider: 'openai', model: 'small', dollarsIn: 0.5, dollarsOut: 2 },
  { provider: 'openai', model: '*', dollarsIn: 10, dollarsOut: 30 },
];
const USE = { provider: 'openai', model: 'small', tokensIn: 1_000_000, tokensOut: 500_000, cost: null };

function setUp() {
  const shown: [provider: string, tokens: number, dollars: number | null][] = [];
  const accounts = new AiUsageMeter(PRICES, { aiUsed: (...figures) => shown.push(figures) });
  return { accounts, shown };
}

describe('AiUsageMeter', () => {
  it.each([
    ['by the price of the model', USE, 1.5],
    ['by the price of the other models', { ...USE, model: 'large' }, 25],
    ['by what the answer says, before any price', { ...USE, cost: 0 }, 0],
    ['not at all for a provider without a price', { ...USE, provider: 'local' }, null],
  ])('costs %s', (_how, use, dollars) => {
    const { accounts, shown } = setUp();
    expect(accounts.account(use)).toBe(dollars);
    expect(shown).toEqual([[use.provider, 1_500_000, dollars]]);
  });

  it('gives figures of their own to so many providers, and always to those with a price', () => {
    const { accounts, shown } = setUp();
    for (let n = 0; n < 40; n += 1) accounts.account({ ...USE, provider: `junk-${n}` });
    accounts.account(USE);
    const labels = shown.map(([provider]) => provider);
    expect(new Set(labels).size).toBe(32);
    expect(labels.slice(30, 40)).toEqual(Array.from({ length: 10 }, () => 'other'));
    expect(labels.at(-1)).toBe('openai');
  });
});
