import { Injectable } from '@nestjs/common';
import type { FlowTool } from '@weft/contracts';
import { FlowRepository, TenantScope, type FlowHead } from '@weft/persistence';
import { z } from 'zod';
import { FlowRights } from '../flows/flow-rights.js';
import { RUNS, type ToolCall } from './tool.js';
import { playAnswer, RunningTools } from './tools/running.tools.js';

/** Models choose badly among more, and clients refuse them. */
const MAX_FLOW_TOOLS = 100;

/** A flow that its maker marked as a tool. Its schemas are its maker's: they are shown, and not executed here. */
export interface FlowAsTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly argsSchema: Readonly<Record<string, unknown>>;
  readonly output: z.ZodType;
  readonly annotations: typeof RUNS;
  readonly run: (args: Readonly<Record<string, unknown>>, call: ToolCall) => Promise<object>;
}

@Injectable()
export class FlowTools {
  constructor(
    private readonly flows: FlowRepository,
    private readonly rights: FlowRights,
    private readonly running: RunningTools,
  ) {}

  /** Those that the caller may run, in the order of their names. */
  async of({ caller, access }: Pick<ToolCall, 'caller' | 'access'>, taken: ReadonlySet<string>): Promise<FlowAsTool[]> {
    const scope = new TenantScope(caller.companyId);
    const found = (await this.flows.listTools(scope, MAX_FLOW_TOOLS)).filter(({ _id }) => access.mayUse(_id));
    const may = await Promise.all(found.map(async (flow) => this.rights.may(caller, 'execute', flow)));
    // the SDK keeps tools by name in a plain object
    const names = new Set([...taken, ...Object.getOwnPropertyNames(Object.prototype)]);
    return found.flatMap((flow, i) => {
      const { mcp } = flow.settings;
      if (!may[i] || !mcp) return [];
      const name = names.has(mcp.tool) ? `${mcp.tool}_${flow._id}` : mcp.tool;
      names.add(name);
      return [this.asTool(name, flow, mcp)];
    });
  }

  private asTool(
    name: string,
    { _id, name: title }: FlowHead,
    { description, argsSchema, outSchema }: FlowTool,
  ): FlowAsTool {
    const out = outSchema ? ` Its out has this JSON Schema: ${JSON.stringify(outSchema)}` : '';
    return {
      name,
      title,
      description: `${description} (Runs a flow and waits up to 25 s; if it has not ended, call wait_for_play.)${out}`,
      argsSchema: { ...argsSchema, type: 'object' },
      output: playAnswer,
      annotations: RUNS,
      run: (args, call) => this.running.run(_id, { args: { ...args } }, call),
    };
  }
}
