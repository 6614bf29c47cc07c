import type { components } from '@weft/client';
import { bytesText } from '../../ui/bytes';
import { durationText } from '../../ui/duration';

/** Less than this may be the way of the answer. */
const NOTABLE_MS = 1_000;

/** @param wayMs how long the answer took */
export function skewText(skewMs: number, wayMs: number): string {
  const away = Math.abs(skewMs);
  if (away <= Math.max(NOTABLE_MS, wayMs)) return 'as in this browser';
  return `${durationText(away)} ${skewMs > 0 ? 'ahead of' : 'behind'} this browser's`;
}

/** A worker says every few seconds that it lives. */
export function seenText(seenAt: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(seenAt);
  return ageMs < NOTABLE_MS ? 'seen just now' : `seen ${durationText(ageMs)} ago`;
}

/** What retention still has to delete. */
export function leftText({ status, left }: Pick<components['schemas']['Job'], 'status' | 'left'>): string {
  if (status !== 'running') return 'nothing until the next run';
  if (left === null || left.plays === 0) return 'no plays';
  const { plays, bytes, overdue_ms } = left;
  return `up to ${plays.toLocaleString('en')} plays (${bytesText(bytes)}), due for up to ${durationText(overdue_ms)}`;
}
