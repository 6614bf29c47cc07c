import { z } from 'zod';
import { LayerFailure, type Output, type PlayEnd, type StartingModule, type StartResult } from '../../layer-module.js';

const args = z.strictObject({
  flowId: z.string().min(1).max(100).describe('Id or key of an enabled flow of the company; of an expression the id.'),
  args: z.record(z.string(), z.unknown()).default({}).describe('What the flow is run with.'),
  wait: z.boolean().default(true).describe('Wait until its play has ended, or go on when it was accepted.'),
});

/**
 * Runs another flow as a play of its own. Fails with `flow_not_found`, `flow_disabled`, `flow_is_blueprint`,
 * `backlog_full`, `too_deep`, `waits_for_itself`, and with `child_failed` when the play that it waited for ended as
 * FAIL; that play's output is kept.
 */
export const runFlow: StartingModule<z.output<typeof args>> = {
  appId: 'run-flow',
  title: 'Run a flow',
  description: 'Runs another flow, and gives what the last of its layers gave.',
  icon: 'workflow',
  effect: 'start',
  argsSchema: args,
  outSchema: z.strictObject({
    playId: z.string().describe('Id of the play.'),
    state: z.string().describe('How it ended: DONE, SKIP or FILTERED; its present state when it was not waited for.'),
    out: z.unknown().describe('What the last layer that ran gave; null when it was not waited for.'),
  }),
  examples: [
    {
      title: 'Bill an order',
      args: { flowId: '{{ $blueprint.billing }}', args: { orderId: '{{ $prev.args.orderId }}' } },
    },
    { title: 'Set off a clean-up', args: { flowId: '{{ $blueprint.cleanup }}', wait: false } },
  ],

  async start({ flowId, args: given, wait }, { plays }): Promise<StartResult> {
    const { playId, state, ended } = await plays.start({ flowId, args: given, awaited: wait });
    if (!wait) return { done: { playId, state, out: null } };
    return ended ? { done: outOf(ended) } : { waitsFor: playId };
  },
};

function outOf({ playId, state, out, error }: PlayEnd): Output {
  const given = { playId, state, out: out ?? null };
  if (state !== 'FAIL') return given;
  const why = error ? `${error.code}: ${error.message}` : 'it failed';
  throw new LayerFailure('child_failed', `the play ${playId} failed with ${why}`, given);
}
