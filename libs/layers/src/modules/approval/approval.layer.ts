import { z } from 'zod';
import { LayerFailure, type VisitResult, type WaitingModule } from '../../layer-module.js';

const YEAR_MS = 366 * 86_400_000;

const args = z.strictObject({
  message: z.string().min(1).max(10_000).describe('What is to be decided.'),
  approvers: z
    .array(z.string().min(1).max(100))
    .max(100)
    .default([])
    .describe('Ids of the users and groups who may decide, besides admins; when empty, editors.'),
  timeoutMs: z
    .int()
    .min(1)
    .max(YEAR_MS)
    .optional()
    .describe('How long to wait for the decision, in milliseconds; left out, it waits without end.'),
  onTimeout: z.enum(['fail', 'approve', 'reject']).default('fail').describe('What counts when nobody decided in time.'),
  link: z
    .enum(['signed_in', 'holder'])
    .default('signed_in')
    .describe('Who decides with $play.approvals.<ref>.url: who signs in and may, or whoever holds the link.'),
});

/** The answer that a decision leaves for the layer. */
const decided = z.looseObject({
  decision: z.enum(['approve', 'reject']),
  by: z.string().nullable(),
  comment: z.string().nullable(),
  at: z.iso.datetime(),
});

/** Parks the play until a person decides. Fails with `rejected` and `timeout`; the decision is kept as output. */
export const approval: WaitingModule<z.output<typeof args>> = {
  appId: 'approval',
  title: 'Approval',
  description: 'Waits until somebody approves; a rejection fails the layer.',
  icon: 'user-check',
  effect: 'park',
  argsSchema: args,
  outSchema: z.strictObject({
    decision: z.enum(['approve', 'reject']).describe('What was decided.'),
    by: z
      .string()
      .nullable()
      .describe('Id of the user who decided; "link" for a holder nobody knows; null when the time limit did.'),
    comment: z.string().nullable().describe('What the user said to it.'),
    at: z.iso.datetime().describe('When it was decided.'),
  }),
  examples: [
    { title: 'Ask the editors', args: { message: 'Send {{ $prev.args.amount }} to the supplier?' } },
    {
      title: 'Ask a group, and go on after a day',
      args: {
        message: 'Publish the page?',
        approvers: ['{{ $prev.args.groupId }}'],
        timeoutMs: 86_400_000,
        onTimeout: 'approve',
      },
    },
    {
      title: 'Let the receiver of a mail decide, without an account',
      args: { message: 'Publish the page?', timeoutMs: 86_400_000, link: 'holder' },
    },
  ],

  ask({ message, approvers, timeoutMs, onTimeout, link }, { since, wait, answer, now }) {
    if (answer) return judge(decided.parse(answer.payload));
    const until = wait ? wait.until : timeoutMs === undefined ? null : new Date(since.getTime() + timeoutMs);
    if (until === null || until > now) {
      return { wait: { kind: 'approval', until, approval: { message, approvers, onTimeout, link } } };
    }
    if (onTimeout !== 'fail') return judge({ decision: onTimeout, by: null, comment: null, at: now.toISOString() });
    throw new LayerFailure('timeout', `nobody decided within ${until.getTime() - since.getTime()} ms`);
  },
};

function judge({ decision, by, comment, at }: z.output<typeof decided>): VisitResult {
  const out = { decision, by, comment, at };
  if (decision === 'approve') return { done: out };
  const who = by === null ? 'nobody approved in time' : 'it was rejected';
  throw new LayerFailure('rejected', comment ? `${who}: ${comment}` : who, out);
}
