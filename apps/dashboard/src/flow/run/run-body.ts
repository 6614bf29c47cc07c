import type { components } from '@weft/client';
import { readObject, readPairs } from '../../values/json-text';

/** What somebody typed into the dialog. */
export interface RunForm {
  readonly args: string;
  readonly key: string;
  readonly labels: string;
  readonly lane: string;
  readonly priority: number;
  /** Of a field for local times; an empty one is now. */
  readonly startAt: string;
}

export type RunBody = components['schemas']['RunBody'];

export const EMPTY_RUN: RunForm = { args: '{}', key: '', labels: '', lane: '', priority: 0, startAt: '' };

/** The body of the run; null while a field has a fault, which is shown at the field. */
export function runBodyOf({
  args: argsText,
  key,
  labels: labelsText,
  lane,
  priority,
  startAt,
}: RunForm): RunBody | null {
  const args = readObject(argsText);
  const labels = readPairs(labelsText);
  if ('fault' in args || 'fault' in labels) return null;
  const start = new Date(startAt);
  if (startAt !== '' && Number.isNaN(start.getTime())) return null;
  return {
    args: args.value,
    ...(key.trim() !== '' && { idempotencyKey: key.trim() }),
    ...(Object.keys(labels.value).length > 0 && { labels: labels.value }),
    ...(lane !== '' && { lane }),
    ...(priority !== 0 && { priority }),
    ...(startAt !== '' && { runAt: start.toISOString() }),
  };
}
