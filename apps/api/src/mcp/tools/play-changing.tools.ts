import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { DecideBody } from '../../approvals/approval.requests.js';
import { ApprovalDecisions } from '../../approvals/approval-decisions.service.js';
import { readBody } from '../../http/dto.pipe.js';
import { PlayRetriesService } from '../../plays/play-retries.service.js';
import { toPlayView } from '../../plays/play.view.js';
import { PlaysService } from '../../plays/plays.service.js';
import { PlayBudget } from '../play-budget.js';
import { CHANGES, RUNS, tool, type ToolCall, type ToolGroup } from '../tool.js';
import { answer, playId, playState } from './shapes.js';

/** Only for keys that say so. */
export const DECIDE_APPROVAL = 'decide_approval';

const decision = z.strictObject({
  playId,
  ref: z.string().min(1).max(100).describe('The layer that waits for the approval.'),
  decision: z.enum(['approve', 'reject']),
  comment: z.string().max(2_000).optional(),
  step: z
    .int()
    .min(0)
    .optional()
    .describe('Of an agent: the step that is decided, as the open approvals of the play have it.'),
});

@Injectable()
export class PlayChangingTools implements ToolGroup {
  constructor(
    private readonly plays: PlaysService,
    private readonly retries: PlayRetriesService,
    private readonly decisions: ApprovalDecisions,
    private readonly budget: PlayBudget,
  ) {}

  readonly tools = [
    tool({
      name: 'retry_play',
      title: 'Retry a play',
      description: 'Runs the rest of a failed play as a new play of the same version: finished layers are taken over.',
      input: z.strictObject({ playId }),
      output: answer({ playId: z.string(), state: playState, retryOf: z.string() }),
      annotations: RUNS,
      run: async ({ playId: id }, call) => {
        await this.assertPlay(id, call);
        await this.budget.take(call.caller);
        return this.retries.retry(call.caller, id);
      },
    }),
    tool({
      name: DECIDE_APPROVAL,
      title: 'Decide an approval',
      description:
        'Approves or rejects what a play waits for, if your user may decide it and your key has not started the play. The decision is audited.',
      input: decision,
      output: answer({ id: z.string(), state: playState }),
      annotations: CHANGES,
      run: async ({ playId: id, ref, ...body }, call) => {
        await this.assertPlay(id, call);
        const decided = readBody(DecideBody, body);
        const at = { playId: id, ref, step: decided.step, origin: call.origin, byLink: false };
        return toPlayView(await this.decisions.byPerson(call.caller, at, decided));
      },
    }),
  ];

  private async assertPlay(id: string, { caller, access }: ToolCall): Promise<void> {
    if (access.flowIds) access.assertFlow((await this.plays.read(caller, id)).flowId);
  }
}
