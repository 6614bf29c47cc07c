import { ProcessCache } from '@weft/concurrency';
import { Injectable } from '@nestjs/common';
import { WeftError } from '@weft/kernel';
import { z } from 'zod';
import { FlowViews, toFlowHeadView } from '../../flows/flow.view.js';
import { FlowsService } from '../../flows/flows.service.js';
import { VersionsService } from '../../flows/versions/versions.service.js';
import { findModule, listModules, type ModuleMemory, type ModuleView } from '../../modules/module.view.js';
import { READS, tool, type ToolCall, type ToolGroup } from '../tool.js';
import { answer, cursor, DEFAULT_SIZE, flowId, listAnswer, size } from './shapes.js';

@Injectable()
export class FlowReadingTools implements ToolGroup {
  private readonly described: ModuleMemory;

  constructor(
    private readonly flows: FlowsService,
    private readonly views: FlowViews,
    private readonly versions: VersionsService,
    cache: ProcessCache,
  ) {
    this.described = cache.of<ModuleView>('module_definitions');
  }

  readonly tools = [
    tool({
      name: 'list_modules',
      title: 'List modules',
      description:
        'The kinds of layers that a flow can have. With appId: one module, with its JSON Schemas and examples.',
      input: z.strictObject({ appId: z.string().max(100).optional().describe('Only this module, in full.') }),
      output: answer({ items: z.array(z.looseObject({ appId: z.string() })) }),
      annotations: READS,
      run: async ({ appId }) => ({ items: appId === undefined ? this.modules() : [this.moduleOf(appId)] }),
    }),
    tool({
      name: 'list_flows',
      title: 'List flows',
      description: 'The flows that you may use, newest first, without their layers.',
      input: z.strictObject({ q: z.string().min(1).max(200).optional().describe('Part of the name.'), size, cursor }),
      output: listAnswer,
      annotations: READS,
      run: (args, call) => this.list(args, call),
    }),
    tool({
      name: 'get_flow',
      title: 'Read a flow',
      description: 'A flow with its layers; `version` is what update_flow and delete_flow ask for.',
      input: z.strictObject({ flowId }),
      output: answer({ id: z.string(), version: z.int() }),
      annotations: READS,
      run: async ({ flowId: id }, { caller, access }) => {
        access.assertFlow(id);
        return this.views.flow(await this.flows.read(caller, id));
      },
    }),
    tool({
      name: 'diff_versions',
      title: 'Compare versions',
      description: 'What changed in a flow between two of its versions.',
      input: z.strictObject({
        flowId,
        from: z.int().min(1).max(999_999_999).describe('The earlier version.'),
        to: z.int().min(1).max(999_999_999).optional().describe('The later version; the present one when left out.'),
      }),
      output: answer({ changes: z.array(z.looseObject({ path: z.string() })) }),
      annotations: READS,
      run: ({ flowId: id, from, to }, { caller, access }) => {
        access.assertFlow(id);
        return this.versions.diff(caller, id, String(from), to);
      },
    }),
  ];

  private modules(): object[] {
    return listModules(this.described).map(({ appId, title, description }) => ({ appId, title, description }));
  }

  private moduleOf(appId: string): ModuleView {
    const module = findModule(appId, this.described);
    if (!module) throw new WeftError('unknown_app', `There is no module "${appId}".`);
    return module;
  }

  private async list(query: { readonly q?: string; readonly size?: number; readonly cursor?: string }, call: ToolCall) {
    const { caller, access } = call;
    if (access.flowIds === null) return this.flows.list(caller, { ...query, size: query.size ?? DEFAULT_SIZE });
    const part = (query.q ?? '').toLowerCase();
    const items: object[] = [];
    for (const id of access.flowIds) {
      const flow = await this.flows.read(caller, id).catch(gone);
      if (flow?.name.toLowerCase().includes(part)) items.push(toFlowHeadView(flow));
    }
    return { items, nextCursor: null };
  }
}

/** A key may name flows that were deleted, or closed to its user. */
function gone(error: unknown): null {
  if (error instanceof WeftError && error.status < 500) return null;
  throw error;
}
