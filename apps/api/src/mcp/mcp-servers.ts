import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type InputRequiredResult,
  type ListToolsResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { Inject, Injectable } from '@nestjs/common';
import { decidesApprovals, isAgent } from '@weft/access';
import { LOG } from '@weft/observability';
import { productVersion } from '@weft/process';
import type { Logger } from 'pino';
import type { Actor } from '../audit/actor-entry.js';
import { assertNames } from '../http/json-body.js';
import { toWeftError } from '../http/problem.js';
import { Deletions } from './deletions.js';
import { FlowTools } from './flow-tools.js';
import { McpAccess } from './mcp-access.js';
import { toListedTool, type ListedTool } from './listed-tool.js';
import { fromCursor, toCursor } from './tool-cursor.js';
import { toErrorResult, toResult } from './tool-result.js';
import type { Tool, ToolAnswer, ToolCall, ToolGroup } from './tool.js';
import { FlowCheckingTools } from './tools/flow-checking.tools.js';
import { FlowReadingTools } from './tools/flow-reading.tools.js';
import { FlowWritingTools } from './tools/flow-writing.tools.js';
import { DECIDE_APPROVAL, PlayChangingTools } from './tools/play-changing.tools.js';
import { PlayReadingTools } from './tools/play-reading.tools.js';
import { RunningTools } from './tools/running.tools.js';

const INSTRUCTIONS = `Weft runs flows: lists of layers, each of a module. A run of a flow is a play.
Build: list_modules, create_flow (disabled), validate_flow, dry_run, update_flow with the version that you read.
Run: run_flow waits 25 s; a play that has not ended goes on, call wait_for_play with its playId. Understand: explain_play.
An error is JSON with code, detail and what to do next.`;

/** Tools depend on rights, and flows come and go: nobody shares a list, nor keeps it for long. */
const LIST_HINT = { ttlMs: 30_000, cacheScope: 'private' } as const;

type Asking = Pick<ToolCall, 'caller' | 'origin' | 'access'>;

/** What of a message decides which tools its server has. */
export interface AskedMessage {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly cursor?: unknown; readonly arguments?: unknown };
}

/** Makes a server for one request: it has the tools that the message is about. */
@Injectable()
export class McpServers {
  private readonly tools: ReadonlyMap<string, Tool>;
  private readonly names: ReadonlySet<string>;
  private readonly listed: readonly ListedTool[];

  constructor(
    @Inject(LOG) private readonly log: Logger,
    private readonly flowTools: FlowTools,
    private readonly deletions: Deletions,
    reading: FlowReadingTools,
    checking: FlowCheckingTools,
    writing: FlowWritingTools,
    running: RunningTools,
    plays: PlayReadingTools,
    changing: PlayChangingTools,
  ) {
    const groups: readonly ToolGroup[] = [reading, checking, writing, running, plays, changing];
    const tools = groups.flatMap((group) => group.tools);
    this.tools = new Map(tools.map((each) => [each.name, each]));
    this.names = new Set(this.tools.keys());
    this.listed = tools.map(toListedTool);
  }

  /** @throws WeftError `invalid_body` for arguments of a tool of Weft that no body may have */
  async serverFor(actor: Actor, gone: AbortSignal, { method, params }: AskedMessage): Promise<McpServer> {
    const asking = { ...actor, access: new McpAccess(actor.caller) };
    const server = this.emptyServer(actor);
    if (method === 'tools/list') {
      const list = await this.pageAfter(params?.cursor, asking);
      server.server.setRequestHandler('tools/list', () => list ?? refuseCursor());
    }
    const called = method === 'tools/call' && typeof params?.name === 'string' ? params.name : null;
    // those of a flow are data of its caller
    if (called !== null && this.names.has(called)) assertNames(params?.arguments);
    const tool = called === null ? null : await this.named(called, asking);
    if (!tool) return server;
    const { name, title, description, input, output, annotations } = tool;
    const config = { title, description, inputSchema: input, outputSchema: output, annotations };
    server.registerTool(name, config, (args: unknown, context: ServerContext) =>
      this.answer({ ...asking, gone, context }, (call) => tool.run(args as never, call)),
    );
    return server;
  }

  private emptyServer(actor: Actor): McpServer {
    const codec = this.deletions.codecFor(actor);
    return new McpServer(
      { name: 'weft', title: 'Weft', version: productVersion() },
      {
        instructions: INSTRUCTIONS,
        // nothing is published to those who would listen
        capabilities: { tools: { listChanged: false } },
        cacheHints: { 'tools/list': LIST_HINT, 'server/discover': LIST_HINT },
        requestState: { verify: (state, context) => codec.verify(state, context) },
        inputRequired: { legacyShim: false },
      },
    );
  }

  private async named(name: string, asking: Asking): Promise<Tool | null> {
    return this.tools.get(name) ?? (await this.flowTools.named(asking, name, this.names));
  }

  /** The first page has the tools of Weft, too. Null: no list has given the cursor. */
  private async pageAfter(cursor: unknown, asking: Asking): Promise<ListToolsResult | null> {
    const after = cursor === undefined ? null : fromCursor(cursor);
    if (cursor !== undefined && !after) return null;
    const { tools, end } = await this.flowTools.page(asking, after, this.names);
    const listed = [
      ...(after ? [] : this.listed.filter(({ name }) => isListed(name, asking))),
      ...tools.map(toListedTool),
    ];
    return { tools: listed, ...(end && { nextCursor: toCursor(end) }) };
  }

  private async answer(
    call: ToolCall,
    run: (call: ToolCall) => Promise<ToolAnswer>,
  ): Promise<CallToolResult | InputRequiredResult> {
    try {
      const answer = await run(call);
      return isQuestion(answer) ? answer : toResult(answer);
    } catch (error) {
      const refusal = toWeftError(error);
      if (refusal.code === 'internal') this.log.error({ component: 'mcp', err: error }, 'a tool failed unexpectedly');
      return toErrorResult(refusal);
    }
  }
}

/** Whether the tool is of use to the caller. Called all the same, it refuses with the reason. */
function isListed(name: string, { caller }: Asking): boolean {
  return name !== DECIDE_APPROVAL || !isAgent(caller) || decidesApprovals(caller);
}

function isQuestion(answer: ToolAnswer): answer is InputRequiredResult {
  return 'resultType' in answer && answer.resultType === 'input_required';
}

function refuseCursor(): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'cursor is not one that tools/list has given.');
}
