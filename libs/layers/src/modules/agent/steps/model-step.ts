/** A call of the model, as a step. Its calls are judged before the answer is stored: what follows depends on what is stored alone. */
import type { LayerContext } from '../../../layer-module.js';
import type { CallStep } from '../../../stepping-module.js';
import { chatOf } from '../provider/chat.js';
import type { ModelCall } from '../provider/port.js';
import { requestAfter } from './conversation.js';
import type { ModelEntry, Turn } from './entry.js';
import { judgeCalls } from './judge-calls.js';
import type { LimitReached } from './limits.js';
import type { Agent } from './next-steps.js';
import { answerIn } from './recorded.js';

/** What the model gave: its calls are not judged yet. */
interface Answer extends Pick<ModelEntry, 'text' | 'usage' | 'stop'> {
  readonly calls: readonly ModelCall[];
}

/** @param limit at which this is the last answer */
export function modelStep(agent: Agent, turns: readonly Turn[], limit: LimitReached | null, percent: number): CallStep {
  const { integrationId, provider } = agent.args;
  const chat = requestAfter(agent.args, agent.tools, turns, limit?.code ?? null);
  const tokens = turns.reduce((sum, { model }) => sum + model.usage.tokensIn + model.usage.tokensOut, 0);
  const judged = async (
    { text, calls, usage, stop }: Answer,
    context: LayerContext,
  ): Promise<Omit<ModelEntry, 'ms'>> => ({
    ...{ kind: 'model', text, ...(await judgeCalls(agent, turns, calls, limit !== null, context)), usage, stop },
    ...(limit && { atLimit: limit.code }),
  });
  const status = `step ${turns.length}: model, ${tokens} tokens`;
  return {
    does: 'call',
    name: { kind: 'model' },
    request: { integrationId, provider, chat },
    // what came before is what the steps before have given
    asks: { integrationId, provider, ...chat, messages: chat.messages.slice(-1) },
    percent,
    status,
    run: async (context) => {
      const since = performance.now();
      const link = await context.connection(integrationId);
      const { http, signal, timeoutMs, idempotencyKey } = context;
      const said = context.says(turns.length);
      const asked = { http, signal, timeoutMs, idempotencyKey, link };
      const onDelta = (text: string): void => {
        context.progress(percent, status);
        said.add(text);
      };
      const { message, usage, stop } = await chatOf(provider)(chat, onDelta, asked).finally(() => said.end());
      const { tokensIn, tokensOut } = usage;
      const cost = context.accountAi({ provider: link.type, model: chat.model, tokensIn, tokensOut, cost: usage.cost });
      const answer = { ...message, usage: { tokensIn, tokensOut, cost }, stop };
      const entry = await judged(answer, context);
      return { ...entry, ms: Math.round(performance.now() - since) };
    },
    recorded: async (end, context) => {
      const { ms, ...answer } = answerIn(end);
      return { ...(await judged(answer, context)), ms };
    },
  };
}
