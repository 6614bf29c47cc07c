import { SPANS, type StatsPeriod } from '@weft/records';

export const WINDOW_NAMES = ['1h', '24h', '7d'] as const;
export type WindowName = (typeof WINDOW_NAMES)[number];

const WINDOWS = {
  '1h': { span: 'minute', count: 60 },
  '24h': { span: 'hour', count: 24 },
  '7d': { span: 'hour', count: 168 },
} as const;

/** Beginnings (epoch ms) of the minutes or hours that a window is made of, oldest first; the last one is the current. */
export function windowAt(name: WindowName, nowMs: number): StatsPeriod & { readonly beginnings: readonly number[] } {
  const { span, count } = WINDOWS[name];
  const { ms } = SPANS[span];
  const first = nowMs - (nowMs % ms) - (count - 1) * ms;
  return { span, from: new Date(first), beginnings: Array.from({ length: count }, (_, i) => first + i * ms) };
}
