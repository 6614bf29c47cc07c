import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { FlowsModule } from '../flows/flows.module.js';
import { PlaysModule } from '../plays/plays.module.js';
import { RunModule } from '../plays/run/run.module.js';
import { Deletions } from './deletions.js';
import { FlowTools } from './flow-tools.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { McpServers } from './mcp-servers.js';
import { McpController } from './mcp.controller.js';
import { PlayBudget } from './play-budget.js';
import { PlayWaits } from './play-waits.js';
import { FlowCheckingTools } from './tools/flow-checking.tools.js';
import { FlowReadingTools } from './tools/flow-reading.tools.js';
import { FlowWritingTools } from './tools/flow-writing.tools.js';
import { PlayChangingTools } from './tools/play-changing.tools.js';
import { PlayReadingTools } from './tools/play-reading.tools.js';
import { RunningTools } from './tools/running.tools.js';

/** Tools for agents, over the services that the HTTP API uses: docs/mcp.md. */
@Module({
  imports: [FlowsModule, RunModule, PlaysModule, ApprovalsModule],
  controllers: [McpController],
  providers: [
    Deletions,
    PlayBudget,
    PlayWaits,
    FlowReadingTools,
    FlowCheckingTools,
    FlowWritingTools,
    RunningTools,
    PlayReadingTools,
    PlayChangingTools,
    FlowTools,
    McpServers,
    McpEndpoint,
  ],
})
export class McpModule {}
