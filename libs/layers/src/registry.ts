import { agent } from './modules/agent/agent.layer.js';
import { aiChat } from './modules/ai-chat/ai-chat.layer.js';
import { approval } from './modules/approval/approval.layer.js';
import { branch } from './modules/branch/branch.layer.js';
import { code } from './modules/code/code.layer.js';
import { delay } from './modules/delay/delay.layer.js';
import { email } from './modules/email/email.layer.js';
import { filter } from './modules/filter/filter.layer.js';
import { kv } from './modules/kv/kv.layer.js';
import type { LayerModule } from './layer-module.js';
import { message } from './modules/message/message.layer.js';
import { mcpTool } from './modules/mcp-tool/mcp-tool.layer.js';
import { operation } from './modules/operation/operation.layer.js';
import { runFlow } from './modules/run-flow/run-flow.layer.js';
import { s3 } from './modules/s3/s3.layer.js';
import { sql } from './modules/sql/sql.layer.js';
import { sqlTransaction } from './modules/sql-transaction/sql-transaction.layer.js';
import { textExtraction } from './modules/text-extraction/text-extraction.layer.js';
import { textTemplate } from './modules/text-template/text-template.layer.js';
import { transform } from './modules/transform/transform.layer.js';
import { waitEvent } from './modules/wait-event/wait-event.layer.js';
import { webRequest } from './modules/web-request/web-request.layer.js';

/** Every module of the product, in the order in which they are shown. To add one, add a line here. */
const MODULES: readonly LayerModule<unknown>[] = [
  webRequest,
  operation,
  mcpTool,
  textTemplate,
  textExtraction,
  transform,
  code,
  filter,
  branch,
  delay,
  waitEvent,
  approval,
  runFlow,
  kv,
  sql,
  sqlTransaction,
  email,
  message,
  aiChat,
  agent,
  s3,
];

/** By appId. The contract suite finds a repeated appId. */
export const layerModules: ReadonlyMap<string, LayerModule<unknown>> = new Map(
  MODULES.map((module) => [module.appId, module]),
);

export function moduleOf(appId: string): LayerModule<unknown> | undefined {
  return layerModules.get(appId);
}
