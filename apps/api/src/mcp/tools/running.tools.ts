import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { readBody } from '../../http/dto.pipe.js';
import { RunBody, toRunOrder } from '../../plays/run/run.requests.js';
import { RunService } from '../../plays/run/run.service.js';
import { PlayBudget } from '../play-budget.js';
import { PlayWaits } from '../play-waits.js';
import { READS, RUNS, tool, type ToolCall, type ToolGroup } from '../tool.js';
import { answer, flowId, free, playId, playState } from './shapes.js';

export const playAnswer = answer({
  playId: z.string(),
  state: playState,
  out: z.unknown(),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  seq: z.int().describe('What has happened so far: pass it to wait_for_play as `since`.'),
});

const run = z.strictObject({
  flowId,
  args: free.default({}).describe('Arguments of the run.'),
  idempotencyKey: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Calls with the same key give the same play: use one for what must not happen twice.'),
  labels: z.record(z.string(), z.string()).optional(),
});

@Injectable()
export class RunningTools implements ToolGroup {
  constructor(
    private readonly runs: RunService,
    private readonly budget: PlayBudget,
    private readonly waits: PlayWaits,
  ) {}

  readonly tools = [
    tool({
      name: 'run_flow',
      title: 'Run a flow',
      description:
        'Runs a flow and waits up to 25 s for its end. If it has not ended (state RUN, WAIT, DEFERRED), it goes on: call wait_for_play.',
      input: run,
      output: playAnswer,
      annotations: RUNS,
      run: ({ flowId: id, ...body }, call) => this.run(id, body, call),
    }),
    tool({
      name: 'wait_for_play',
      title: 'Wait for a play',
      description:
        'Waits up to 25 s until a play has ended; with `since`, until anything has happened in it, as that it waits for an approval. Call again as long as it goes on.',
      input: z.strictObject({
        playId,
        since: z.int().min(0).optional().describe('`seq` of the answer before.'),
      }),
      output: playAnswer,
      annotations: READS,
      run: ({ playId: id, since }, call) => this.waits.wait(id, since, call),
    }),
  ];

  /** Also for the tools that are flows. */
  async run(id: string, body: Omit<z.output<typeof run>, 'flowId'>, call: ToolCall): Promise<object> {
    const { caller, access } = call;
    access.assertFlow(id);
    const order = toRunOrder(readBody(RunBody, body), undefined, null);
    await this.runs.runnable(caller, id);
    await this.budget.take(caller);
    // models reuse keys: the answer says when nothing was run
    const { play } = await this.runs.accept(caller, id, { ...order, strict: true }, 'mcp');
    return this.waits.outcome(play, call);
  }
}
