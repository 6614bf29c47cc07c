/** Where an agent stops: judged before each call of its model, by what is stored. Pure. */
import type { AgentLimits } from '../shape.js';
import type { Turn } from './entry.js';
import { usageOf } from './usage.js';

export type LimitCode = 'limit_steps' | 'limit_tokens' | 'limit_cost' | 'limit_time' | 'limit_tool_calls';

export interface LimitReached {
  readonly code: LimitCode;
  readonly message: string;
}

/** The first limit that is reached; null: none is. */
export function limitReached(turns: readonly Turn[], limits: AgentLimits): LimitReached | null {
  const { tokensIn, tokensOut, cost, ms } = usageOf(turns);
  const reached = (code: LimitCode, message: string): LimitReached => ({ code, message });
  if (turns.at(-1)?.model.isOverCalls)
    return reached('limit_tool_calls', `the model asked for more than ${limits.toolCalls} calls of tools`);
  if (turns.length >= limits.steps) return reached('limit_steps', `the model has answered ${turns.length} times`);
  if (tokensIn + tokensOut >= limits.tokens)
    return reached('limit_tokens', `it has used ${tokensIn + tokensOut} of ${limits.tokens} tokens`);
  if (limits.cost !== null && cost !== null && cost >= limits.cost)
    return reached('limit_cost', `it has cost ${cost} of ${limits.cost} dollars`);
  if (ms >= limits.seconds * 1_000)
    return reached('limit_time', `it has worked for ${Math.floor(ms / 1_000)} of ${limits.seconds} seconds`);
  return null;
}

/** The largest part of a limit that is used, in percent. */
export function percentUsed(turns: readonly Turn[], limits: AgentLimits): number {
  const { tokensIn, tokensOut, cost, ms } = usageOf(turns);
  const parts = [turns.length / limits.steps, (tokensIn + tokensOut) / limits.tokens, ms / 1_000 / limits.seconds];
  if (limits.cost !== null && cost !== null) parts.push(cost / limits.cost);
  return Math.min(99, Math.floor(Math.max(...parts) * 100));
}
