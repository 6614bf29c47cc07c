import type { FlowSettings } from '@weft/contracts';
import { assertLabels } from '../http/labels.js';
import type { FlowSettingsBody } from './flow.requests.js';

export const DEFAULT_SETTINGS: FlowSettings = {
  concurrency: null,
  timeoutMs: null,
  onMissing: 'fail',
  maxOutputBytes: null,
};

/** Fields left out stay as they are. @throws WeftError `invalid_labels` */
export function withSettings(settings: FlowSettings, change: FlowSettingsBody | undefined): FlowSettings {
  if (!change) return settings;
  const { concurrency, timeoutMs, onMissing, maxOutputBytes } = change;
  assertLabels('settings.labels', change.labels);
  const labels = change.labels ?? settings.labels;
  return {
    concurrency: concurrency === undefined ? settings.concurrency : concurrency,
    timeoutMs: timeoutMs === undefined ? settings.timeoutMs : timeoutMs,
    onMissing: onMissing ?? settings.onMissing,
    maxOutputBytes: maxOutputBytes === undefined ? settings.maxOutputBytes : maxOutputBytes,
    ...(labels && { labels }),
  };
}

/** As people see them. */
export function shownSettings(settings: FlowSettings): Required<FlowSettings> {
  return { ...settings, labels: settings.labels ?? {} };
}
