import { WeftError } from '@weft/kernel';
import { assertQueueNames } from '@weft/runs';
import { changed, settingsShape, type FlowSettings, type GivenSettings } from '@weft/shapes';
import { assertLabels } from '../http/labels.js';

export const DEFAULT_SETTINGS: FlowSettings = settingsShape.parse({});

/** Fields left out stay as they are. @throws WeftError `invalid_labels`, `invalid_expression`, `body_too_large` */
export function withSettings(settings: FlowSettings, change: GivenSettings = {}): FlowSettings {
  assertQueueNames(change);
  assertLabels('settings.labels', change.labels);
  assertToolFits(change.mcp);
  return changed(settingsShape, settings, change);
}

/** Of `mcp` as JSON: all flows in use are in memory with their settings. */
const MAX_TOOL_CHARS = 32 * 1024;

export const TOOL_TOO_LARGE = 'settings.mcp, with its schemas, may have at most 32 KB';

/** @throws WeftError `body_too_large` */
function assertToolFits(tool: FlowSettings['mcp']): void {
  if (isToolTooLarge(tool)) throw new WeftError('body_too_large', `${TOOL_TOO_LARGE}.`);
}

export function isToolTooLarge(tool: FlowSettings['mcp']): boolean {
  return Boolean(tool) && JSON.stringify(tool).length > MAX_TOOL_CHARS;
}
