import {
  McpServer,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { Inject, Injectable } from '@nestjs/common';
import { LOG } from '@weft/observability';
import { productVersion } from '@weft/process';
import type { Logger } from 'pino';
import type { Actor } from '../audit/actor-entry.js';
import { toWeftError } from '../http/problem.js';
import { Deletions } from './deletions.js';
import { FlowTools } from './flow-tools.js';
import { McpAccess } from './mcp-access.js';
import { shownSchema } from './shown-schema.js';
import { toErrorResult, toResult } from './tool-result.js';
import type { Tool, ToolAnswer, ToolCall, ToolGroup } from './tool.js';
import { FlowCheckingTools } from './tools/flow-checking.tools.js';
import { FlowReadingTools } from './tools/flow-reading.tools.js';
import { FlowWritingTools } from './tools/flow-writing.tools.js';
import { PlayChangingTools } from './tools/play-changing.tools.js';
import { PlayReadingTools } from './tools/play-reading.tools.js';
import { RunningTools } from './tools/running.tools.js';

const INSTRUCTIONS = `Weft runs flows: lists of layers, each of a module. A run of a flow is a play.
Build: list_modules, create_flow (disabled), validate_flow, dry_run, update_flow with the version that you read.
Run: run_flow waits 25 s; a play that has not ended goes on, call wait_for_play with its playId. Understand: explain_play.
An error is JSON with code, detail and what to do next.`;

/** Tools depend on rights, and flows come and go: nobody shares a list, nor keeps it for long. */
const LIST_HINT = { ttlMs: 30_000, cacheScope: 'private' } as const;

/** Makes a server for one request: its tools are those of the caller. */
@Injectable()
export class McpServers {
  private readonly tools: readonly Tool[];
  private readonly names: ReadonlySet<string>;

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
    this.tools = groups.flatMap(({ tools }) => tools);
    this.names = new Set(this.tools.map(({ name }) => name));
  }

  async serverFor(actor: Actor, gone: AbortSignal): Promise<McpServer> {
    const access = new McpAccess(actor.caller);
    const codec = this.deletions.codecFor(actor);
    const server = new McpServer(
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
    const callWith = (run: (call: ToolCall) => Promise<ToolAnswer>) => (context: ServerContext) =>
      this.answer({ ...actor, access, gone, context }, run);
    for (const { name, title, description, input, output, annotations, run } of this.tools) {
      const config = { title, description, inputSchema: input, outputSchema: output, annotations };
      server.registerTool(name, config, (args: unknown, context: ServerContext) =>
        callWith((call) => run(args as never, call))(context),
      );
    }
    for (const { name, title, description, argsSchema, output, annotations, run } of await this.flowTools.of(
      { ...actor, access },
      this.names,
    )) {
      const config = { title, description, inputSchema: shownSchema(argsSchema), outputSchema: output, annotations };
      server.registerTool(name, config, (args, context) => callWith((call) => run(args, call))(context));
    }
    return server;
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

function isQuestion(answer: ToolAnswer): answer is InputRequiredResult {
  return 'resultType' in answer && answer.resultType === 'input_required';
}
