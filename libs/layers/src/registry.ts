import { aiChat } from './ai-chat/ai-chat.layer.js';
import { approval } from './approval/approval.layer.js';
import { branch } from './branch/branch.layer.js';
import { code } from './code/code.layer.js';
import { delay } from './delay/delay.layer.js';
import { email } from './email/email.layer.js';
import { filter } from './filter/filter.layer.js';
import { kv } from './kv/kv.layer.js';
import type { LayerModule } from './layer-module.js';
import { message } from './message/message.layer.js';
import { runFlow } from './run-flow/run-flow.layer.js';
import { textExtraction } from './text-extraction/text-extraction.layer.js';
import { textTemplate } from './text-template/text-template.layer.js';
import { transform } from './transform/transform.layer.js';
import { waitEvent } from './wait-event/wait-event.layer.js';
import { webRequest } from './web-request/web-request.layer.js';

/** Every module of the product, in the order in which they are shown. To add one, add a line here. */
const MODULES: readonly LayerModule<unknown>[] = [
  webRequest,
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
  email,
  message,
  aiChat,
];

/** By appId. The contract suite finds a repeated appId. */
export const layerModules: ReadonlyMap<string, LayerModule<unknown>> = new Map(
  MODULES.map((module) => [module.appId, module]),
);

export function moduleOf(appId: string): LayerModule<unknown> | undefined {
  return layerModules.get(appId);
}
