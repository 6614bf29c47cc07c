import { z } from 'zod';
import type { SteppingModule } from '../../stepping-module.js';
import { agentFace } from './face.js';
import { agentArgs, type AgentArgs } from './shape.js';
import { nextSteps, type Agent } from './steps/next-steps.js';
import { outputOf } from './steps/output.js';
import { recordSchema } from './steps/recorded.js';
import { turnsOf } from './steps/entry.js';
import { toolsOf } from './tools/list.js';

const TIMEOUT_MS = 120_000;

/** With the tools that they list. */
type BoundArgs = AgentArgs & { readonly agent?: Agent };

/**
 * A model that works with tools until it has an answer. Fails with the codes of the provider's calls; with `limit_steps`, `limit_tokens`,
 * `limit_cost`, `limit_time`, `limit_tool_calls`, `context_full`, `answer_cut`, `model_refused`, `rejected`, `interrupted`,
 * `agent_diverged`, `not_stored`. What it has done so far is kept as output.
 */
export const agent: SteppingModule<BoundArgs> = {
  appId: 'agent',
  title: 'Agent',
  description: 'Lets a model work with flows, operations and tools until it has an answer; a crash repeats nothing.',
  icon: 'bot',
  effect: 'steps',
  ...agentFace,
  timeoutMs: TIMEOUT_MS,
  argsSchema: agentArgs,
  outSchema: z.strictObject({
    text: z.string().describe('What the model said last.'),
    value: z.unknown().describe('What it gave by outputSchema; null without one.'),
    steps: z
      .array(
        z.strictObject({
          kind: z.enum(['model', 'tool', 'approval', 'child']),
          tool: z.string().nullable(),
          args: z.unknown().describe('What the tool was called with; null for the model.'),
          ok: z.boolean(),
          ms: z.int(),
          tokens: z.int().nullable().describe('Of a call of the model.'),
          refused: z.string().optional().describe('Why the call was not made.'),
          by: z.string().nullable().optional().describe('Who decided.'),
          playId: z.string().optional().describe('Of a flow: its play.'),
        }),
      )
      .describe('What was done, in order.'),
    usage: z
      .strictObject({ tokensIn: z.int(), tokensOut: z.int(), calls: z.int() })
      .describe('Tokens of the model, and calls of tools.'),
    cost: z.number().nullable().describe('Dollars; null when the price of an answer is not known.'),
    stop: z.string().describe('end; the limit at which the last answer was given; of a failed layer its code.'),
  }),
  examples: [
    {
      title: 'Triage a ticket',
      args: {
        integrationId: '{{ $blueprint.model }}',
        model: 'gpt-4o-mini',
        instructions: 'Find out what the customer needs, and open a task for it.',
        input: '{{ $prev.args.ticket }}',
        tools: [{ kind: 'flow', flowId: 'open-task', approve: 'always' }],
      },
    },
  ],

  bind: (args, _face, faces) => ({ ...args, agent: { args, tools: toolsOf(args, faces) } }),

  next: (args, before) => nextSteps(agentOf(args), before),

  recordSchema,

  soFar: (_args, before, code) => outputOf(turnsOf(before), code),
};

function agentOf({ agent: bound }: BoundArgs): Agent {
  if (!bound) throw new TypeError('the agent has no tools');
  return bound;
}
