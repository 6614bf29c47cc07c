import { Injectable } from '@nestjs/common';
import type { FlowTool } from '@weft/shapes';
import { TenantScope } from '@weft/store';
import { FlowRepository, type FlowHead, type FlowToolChoice } from '@weft/records';
import { FlowRights } from '../flows/flow-rights.js';
import { isFree, nameOf, withId } from './flow-tool-names.js';
import { shownSchema } from './shown-schema.js';
import type { ToolPlace } from './tool-cursor.js';
import { RUNS, type Tool, type ToolCall } from './tool.js';
import { playAnswer, RunningTools } from './tools/running.tools.js';

/** Flows of one page of tools. */
const PAGE = 100;
/** Pages of flows with one tool name that are searched for one that the caller may run. */
const MAX_PAGES_OF_NAME = 10;

type Asking = Pick<ToolCall, 'caller' | 'access'>;
type Marked = readonly [flow: FlowHead, tool: FlowTool];

/** Flows that their makers marked as tools. Their schemas are their makers': they are shown, and not executed here. */
@Injectable()
export class FlowTools {
  constructor(
    private readonly flows: FlowRepository,
    private readonly rights: FlowRights,
    private readonly running: RunningTools,
  ) {}

  /**
   * Those that the caller may run, by name.
   *
   * @param after where the page before ended; null: the first page
   * @param reserved names of other tools
   */
  async page(
    asking: Asking,
    after: ToolPlace | null,
    reserved: ReadonlySet<string>,
  ): Promise<{ readonly tools: readonly Tool[]; readonly end: ToolPlace | null }> {
    const found = await this.find(asking, { after }, PAGE + 1);
    const read = found.slice(0, PAGE);
    let listed = after?.listed ?? null;
    const tools: Tool[] = [];
    for (const [flow, mcp] of await this.runnable(asking, read)) {
      tools.push(this.asTool(nameOf({ tool: mcp.tool, id: flow._id }, reserved, listed), flow, mcp));
      listed = mcp.tool;
    }
    const last = read.at(-1);
    const isLast = found.length <= PAGE || !last;
    return { tools, end: isLast ? null : { tool: last[1].tool, id: last[0]._id, listed } };
  }

  /** The flow that a list shows to this caller under the name. */
  async named(asking: Asking, name: string, reserved: ReadonlySet<string>): Promise<Tool | null> {
    const named = withId(name);
    if (!named && !isFree(name, reserved)) return null;
    const found = named ? await this.byId(asking, named.id, named.tool) : await this.firstOf(asking, name);
    return found ? this.asTool(name, ...found) : null;
  }

  private async byId(asking: Asking, id: string, tool: string): Promise<Marked | undefined> {
    if (!asking.access.mayUse(id)) return undefined;
    return (await this.runnable(asking, await this.find(asking, { tool, among: [id] }, 1)))[0];
  }

  private async firstOf(asking: Asking, tool: string): Promise<Marked | undefined> {
    let after: FlowToolChoice['after'] = null;
    for (let page = 0; page < MAX_PAGES_OF_NAME; page += 1) {
      const found = await this.find(asking, { tool, after }, PAGE);
      const [first] = await this.runnable(asking, found);
      const last = found.at(-1);
      if (first || !last || found.length < PAGE) return first;
      after = { tool, id: last[0]._id };
    }
    return undefined;
  }

  private async find(
    { caller, access }: Asking,
    choice: Omit<FlowToolChoice, 'among'> & Partial<FlowToolChoice>,
    max: number,
  ): Promise<Marked[]> {
    const among = access.flowIds;
    const found = await this.flows.listTools(new TenantScope(caller.companyId), { among, ...choice }, max);
    return found.flatMap((flow) => (flow.settings.mcp ? [[flow, flow.settings.mcp] as const] : []));
  }

  private async runnable({ caller }: Asking, found: readonly Marked[]): Promise<readonly Marked[]> {
    const may = await Promise.all(found.map(async ([flow]) => this.rights.may(caller, 'execute', flow)));
    return found.filter((_, i) => may[i]);
  }

  private asTool(name: string, { _id, name: title }: FlowHead, { description, argsSchema, outSchema }: FlowTool): Tool {
    const out = outSchema ? ` Its out has this JSON Schema: ${JSON.stringify(outSchema)}` : '';
    return {
      name,
      title,
      description: `${description} (Runs a flow and waits up to 25 s; if it has not ended, call wait_for_play.)${out}`,
      input: shownSchema({ ...argsSchema, type: 'object' }),
      output: playAnswer,
      annotations: RUNS,
      run: (args: Readonly<Record<string, unknown>>, call) => this.running.run(_id, { args: { ...args } }, call),
    };
  }
}
