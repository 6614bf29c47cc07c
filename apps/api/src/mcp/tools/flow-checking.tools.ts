import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { DryRuns } from '../../flows/dry-run/dry-runs.service.js';
import { assertFixtureRefs } from '../../flows/dry-run/fixture-refs.js';
import { toDryRunView } from '../../flows/dry-run/dry-run.view.js';
import { Enabling } from '../../flows/enabling.js';
import { FlowsService } from '../../flows/flows.service.js';
import { SamplesService } from '../../flows/samples/samples.service.js';
import { LayerTriesService } from '../../flows/tries/layer-tries.service.js';
import { READS, RUNS, tool, type ToolGroup } from '../tool.js';
import { answer, flowId, free, playState, triedLayer } from './shapes.js';

@Injectable()
export class FlowCheckingTools implements ToolGroup {
  constructor(
    private readonly flows: FlowsService,
    private readonly enabling: Enabling,
    private readonly dryRuns: DryRuns,
    private readonly samples: SamplesService,
    private readonly tries: LayerTriesService,
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
        'Runs a flow in memory: nothing is stored or sent. Layers that reach outside give their fixture or their sample, or are in missingFixtures.',
      input: z.strictObject({
        flowId,
        args: free.default({}).describe('Arguments of the run.'),
        fixtures: free
          .default({})
          .describe('ref → the out that replaces the one of the layer; of an agent maybe { replay: [steps] }.'),
      }),
      output: answer({ state: playState, missingFixtures: z.array(z.string()) }),
      annotations: READS,
      run: async ({ flowId: id, args, fixtures }, { caller, access, gone }) => {
        access.assertFlow(id);
        const flow = await this.flows.read(caller, id, 'execute');
        assertFixtureRefs(flow, fixtures);
        const all = await this.samples.fixtures(caller, flow, fixtures);
        return toDryRunView(flow, await this.dryRuns.run(flow, { args, fixtures: all }, gone));
      },
    }),
    tool({
      name: 'try_layer',
      title: 'Try a layer',
      description:
        'Calls one layer for real, once, without a play: with its ref as the flow has it, or as it is given. Outputs of earlier layers are the samples of the flow, or outs. A call that may change something is made only with confirm.',
      input: z.strictObject({
        flowId,
        layer: triedLayer,
        args: free.default({}).describe('Arguments of the run.'),
        outs: free.default({}).describe('ref → the out of an earlier layer.'),
        item: z.int().min(0).max(9_999).optional().describe('Of a layer with forEach: which item, from 0.'),
        confirm: z.boolean().default(false).describe('Make the call although it may change something.'),
        keep: z.boolean().default(false).describe('Keep its answer as the sample of the layer.'),
      }),
      output: answer({ out: z.unknown(), error: z.looseObject({ code: z.string(), message: z.string() }).nullable() }),
      annotations: RUNS,
      run: async ({ flowId: id, keep, ...body }, call) => {
        call.access.assertFlow(id);
        const tried = await this.tries.try(call, id, body, call.gone);
        if (keep && !tried.error) await this.samples.put(call, id, body.layer.ref, tried.out);
        return tried;
      },
    }),
  ];
}
