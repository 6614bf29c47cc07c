import type { FlowSettings, FlowTool } from '@weft/contracts';
import { WeftError } from '@weft/kernel';
import { assertQueueNames } from '@weft/runs';
import { plainConcurrency } from './concurrency-field.js';
import { assertLabels } from '../http/labels.js';
import type { FlowSettingsBody } from './flow.requests.js';

export const DEFAULT_SETTINGS: FlowSettings = {
  concurrency: null,
  timeoutMs: null,
  onMissing: 'fail',
  maxOutputBytes: null,
};

/** Fields left out stay as they are. @throws WeftError `invalid_labels`, `invalid_expression`, `body_too_large` */
export function withSettings(settings: FlowSettings, change: FlowSettingsBody | undefined): FlowSettings {
  if (!change) return settings;
  const { concurrency, timeoutMs, onMissing, maxOutputBytes } = change;
  const lane = change.lane === undefined ? settings.lane : change.lane;
  assertQueueNames(change);
  const onLaneFail = change.onLaneFail ?? settings.onLaneFail;
  const onDestinationDown = change.onDestinationDown ?? settings.onDestinationDown;
  assertLabels('settings.labels', change.labels);
  const labels = change.labels ?? settings.labels;
  assertToolFits(change.mcp);
  const mcp = change.mcp === undefined ? settings.mcp : change.mcp;
  const onFailure = change.onFailure === undefined ? settings.onFailure : change.onFailure;
  const publish = change.publish ?? settings.publish;
  return {
    concurrency: concurrency === undefined ? settings.concurrency : plainConcurrency(concurrency),
    timeoutMs: timeoutMs === undefined ? settings.timeoutMs : timeoutMs,
    onMissing: onMissing ?? settings.onMissing,
    maxOutputBytes: maxOutputBytes === undefined ? settings.maxOutputBytes : maxOutputBytes,
    ...(onDestinationDown && { onDestinationDown }),
    ...(lane != null && { lane }),
    ...(onLaneFail && { onLaneFail }),
    ...(labels && { labels }),
    ...(mcp && { mcp: toolOf(mcp) }),
    ...(onFailure && { onFailure }),
    ...(publish && { publish }),
  };
}

function toolOf({ tool, description, argsSchema, outSchema }: FlowTool): FlowTool {
  return { tool, description, ...(argsSchema && { argsSchema }), ...(outSchema && { outSchema }) };
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

/** As people see them. */
export function shownSettings(settings: FlowSettings): Required<FlowSettings> {
  return {
    ...settings,
    onDestinationDown: settings.onDestinationDown ?? 'fail',
    lane: settings.lane ?? null,
    onLaneFail: settings.onLaneFail ?? 'continue',
    labels: settings.labels ?? {},
    mcp: settings.mcp ?? null,
    onFailure: settings.onFailure ?? null,
    publish: settings.publish ?? 'auto',
  };
}
