import type { Turn } from './entry.js';

export interface AgentUsage {
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Dollars; null: the price of an answer is not known. */
  readonly cost: number | null;
  /** Calls of tools that were made. */
  readonly calls: number;
  /** Of work: without waits for people and plays. */
  readonly ms: number;
}

export function usageOf(turns: readonly Turn[]): AgentUsage {
  let [tokensIn, tokensOut, calls, ms] = [0, 0, 0, 0];
  let cost: number | null = 0;
  for (const { model, results } of turns) {
    tokensIn += model.usage.tokensIn;
    tokensOut += model.usage.tokensOut;
    cost = cost === null || model.usage.cost === null ? null : cost + model.usage.cost;
    calls += results.length;
    ms += model.ms;
    for (const [, { kind, ms: took }] of results) if (kind === 'tool') ms += took;
  }
  return { tokensIn, tokensOut, cost, calls, ms };
}
