import type { FlowSettings } from '@weft/contracts';
import type { FlowSettingsBody } from './flow.requests.js';

export const DEFAULT_SETTINGS: FlowSettings = {
  concurrency: null,
  timeoutMs: null,
  onMissing: 'fail',
  maxOutputBytes: null,
};

/** Fields left out stay as they are. */
export function withSettings(settings: FlowSettings, change: FlowSettingsBody | undefined): FlowSettings {
  if (!change) return settings;
  const { concurrency, timeoutMs, onMissing, maxOutputBytes } = change;
  return {
    concurrency: concurrency === undefined ? settings.concurrency : concurrency,
    timeoutMs: timeoutMs === undefined ? settings.timeoutMs : timeoutMs,
    onMissing: onMissing ?? settings.onMissing,
    maxOutputBytes: maxOutputBytes === undefined ? settings.maxOutputBytes : maxOutputBytes,
  };
}
