import { acceptedContent, inputRequired, type InputRequiredResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { reaches, type FlowPermission, type Principal } from '@weft/access';
import { WeftError } from '@weft/kernel';
import type { FlowDocument } from '@weft/records';
import { changeOf, flowShape, settingsShape } from '@weft/shapes';
import { z } from 'zod';
import { readBody } from '../../http/dto.pipe.js';
import { CreateFlowBody, UpdateFlowBody } from '../../flows/flow.requests.js';
import { FlowViews } from '../../flows/flow.view.js';
import { versionConflict } from '../../flows/flow-editor.js';
import { FlowsService } from '../../flows/flows.service.js';
import { Deletions } from '../deletions.js';
import { ADDS, CHANGES, tool, type ToolAnswer, type ToolCall, type ToolGroup } from '../tool.js';
import { answer, flowId, layers } from './shapes.js';

const version = z.int().min(1).max(999_999_999).describe('The version that you read; another one is refused.');
/** What may be left out, and stays or is as the API has it. */
const given = changeOf(flowShape.pick({ name: true, description: true, category: true, when: true }));
const fields = { ...given.shape, settings: changeOf(settingsShape).optional() };

const creation = z.strictObject({ ...fields, name: flowShape.shape.name, layers: layers.default([]) });
const change = z.strictObject({
  flowId,
  version,
  ...fields,
  enabled: z.boolean().optional().describe('true: it can be run. Only a flow that validates can be enabled.'),
  layers: layers.optional().describe('Replaces all layers; left out, they stay.'),
});
const flowAnswer = answer({ id: z.string(), version: z.int(), enabled: z.boolean() });
const CONFIRMED = z.object({ confirm: z.boolean() });

@Injectable()
export class FlowWritingTools implements ToolGroup {
  constructor(
    private readonly flows: FlowsService,
    private readonly views: FlowViews,
    private readonly deletions: Deletions,
  ) {}

  readonly tools = [
    tool({
      name: 'create_flow',
      title: 'Create a flow',
      description:
        'Makes a flow with its layers. It is disabled: test it with dry_run, then enable it with update_flow.',
      input: creation,
      output: flowAnswer,
      annotations: ADDS,
      run: (args, call) => this.create(args, call),
    }),
    tool({
      name: 'update_flow',
      title: 'Change a flow',
      description:
        'Changes the given fields of a flow in one new version, if it is still at the version that you read.',
      input: change,
      output: flowAnswer,
      annotations: { ...CHANGES, idempotentHint: true },
      run: (args, call) => this.update(args, call),
    }),
    tool({
      name: 'delete_flow',
      title: 'Delete a flow',
      description: 'Deletes a flow, after your user has agreed. Its plays stay readable; an admin can restore it.',
      input: z.strictObject({ flowId, version }),
      output: answer({ id: z.string(), deleted: z.boolean() }),
      annotations: { ...CHANGES, idempotentHint: true },
      run: (args, call) => this.remove(args, call),
    }),
  ];

  private async create(args: z.output<typeof creation>, { caller, origin, access }: ToolCall): Promise<object> {
    if (!reaches(caller.role, 'editor')) throw new WeftError('denied', `The role ${caller.role} makes no flows.`);
    access.assertMayCreate();
    const body = readBody(CreateFlowBody, { ...args, enabled: false });
    return this.views.flow(await this.flows.create({ caller, origin }, body));
  }

  private async update(args: z.output<typeof change>, { caller, origin, access }: ToolCall): Promise<object> {
    const { flowId: id, version: read, ...fields } = args;
    access.assertFlow(id);
    const before = await this.readAt(caller, id, 'edit', read);
    access.assertDraft(before.enabled, fields.enabled ?? false);
    const body = readBody(UpdateFlowBody, fields);
    return this.views.flow(await this.flows.update({ caller, origin }, id, [read], body));
  }

  /** Asks first: the question goes to the user of the client, and the answer comes back with what was asked, signed. */
  private async remove(
    { flowId: id, version: read }: { readonly flowId: string; readonly version: number },
    call: ToolCall,
  ): Promise<ToolAnswer> {
    const { caller, origin, access, context } = call;
    access.assertFlow(id);
    const flow = await this.readAt(caller, id, 'delete', read);
    access.assertDraft(flow.enabled, false);
    if (!this.deletions.canAsk(call)) throw cannotAsk();
    const asked = this.deletions.asked(call);
    const { inputResponses } = context.mcpReq;
    if (asked?.flowId !== id || asked.version !== read || inputResponses === undefined) {
      return this.ask(flow, read, call);
    }
    if (acceptedContent(inputResponses, 'confirm', CONFIRMED)?.confirm !== true) return { id, deleted: false };
    await this.flows.remove({ caller, origin }, id, [read]);
    return { id, deleted: true };
  }

  /**
   * The flow at the version that the write will replace: what is judged of it holds until then, or nothing is written.
   *
   * @throws WeftError `not_found`, `denied`, `version_conflict`
   */
  private async readAt(caller: Principal, id: string, permission: FlowPermission, read: number): Promise<FlowDocument> {
    const flow = await this.flows.read(caller, id, permission);
    if (flow.version !== read) throw versionConflict(flow.version);
    return flow;
  }

  private async ask(
    { _id, name }: { readonly _id: string; readonly name: string },
    read: number,
    call: ToolCall,
  ): Promise<InputRequiredResult> {
    return inputRequired({
      inputRequests: {
        confirm: inputRequired.elicit({
          message: `Delete the flow "${name}" (${_id})? It cannot be run any more; an admin can restore it.`,
          requestedSchema: {
            type: 'object',
            properties: { confirm: { type: 'boolean', title: 'Delete the flow' } },
            required: ['confirm'],
          },
        }),
      },
      requestState: await this.deletions.stateOf({ flowId: _id, version: read }, call),
    });
  }
}

function cannotAsk(): WeftError {
  return new WeftError(
    'denied',
    'Deleting asks your user first, and clients of 2025 cannot be asked without a session. A person can delete it.',
  );
}
