import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { DryRuns } from '../../flows/dry-run/dry-runs.service.js';
import { assertFixtureRefs } from '../../flows/dry-run/fixture-refs.js';
import { toDryRunView } from '../../flows/dry-run/dry-run.view.js';
import { Enabling } from '../../flows/enabling.js';
import { FlowsService } from '../../flows/flows.service.js';
import { READS, tool, type ToolGroup } from '../tool.js';
import { answer, flowId, free, playState } from './shapes.js';

@Injectable()
export class FlowCheckingTools implements ToolGroup {
  constructor(
    private readonly flows: FlowsService,
    private readonly enabling: Enabling,
    private readonly dryRuns: DryRuns,
  ) {}

  readonly tools = [
    tool({
      name: 'validate_flow',
      title: 'Validate a flow',
      description: 'Whether a flow could be enabled: errors, failing required test cases, and doubtful places.',
      input: z.strictObject({ flowId }),
      output: answer({ valid: z.boolean(), errors: z.array(z.unknown()), warnings: z.array(z.unknown()) }),
      annotations: READS,
      run: async ({ flowId: id }, { caller, access, gone }) => {
        access.assertFlow(id);
        return this.enabling.report(await this.flows.read(caller, id), gone);
      },
    }),
    tool({
      name: 'dry_run',
      title: 'Dry-run a flow',
      description:
        'Runs a flow in memory: nothing is stored or sent. Layers that reach outside give their fixture, or are in missingFixtures.',
      input: z.strictObject({
        flowId,
        args: free.default({}).describe('Arguments of the run.'),
        fixtures: free.default({}).describe('ref → the out that replaces the one of the layer.'),
      }),
      output: answer({ state: playState, missingFixtures: z.array(z.string()) }),
      annotations: READS,
      run: async ({ flowId: id, args, fixtures }, { caller, access, gone }) => {
        access.assertFlow(id);
        const flow = await this.flows.read(caller, id, 'execute');
        assertFixtureRefs(flow, fixtures);
        return toDryRunView(flow, await this.dryRuns.run(flow, { args, fixtures }, gone));
      },
    }),
  ];
}
