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
  /** The same; an empty one is no limit. */
  readonly startBy: string;
  /** Null: the one that runs use. */
  readonly version: number | null;
}

export type RunBody = components['schemas']['RunBody'];

export const EMPTY_RUN: RunForm = {
  ...{ args: '{}', key: '', labels: '', lane: '', priority: 0 },
  ...{ startAt: '', startBy: '', version: null },
};

/** The body of the run; null while a field has a fault, which is shown at the field. */
export function runBodyOf({
  args: argsText,
  key,
  labels: labelsText,
  lane,
  priority,
  startAt,
  startBy,
  version,
}: RunForm): RunBody | null {
  const args = readObject(argsText);
  const labels = readPairs(labelsText);
  if ('fault' in args || 'fault' in labels) return null;
  const [runAt, notAfter] = [timeOf(startAt), timeOf(startBy)];
  if (runAt === null || notAfter === null) return null;
  return {
    args: args.value,
    ...(key.trim() !== '' && { idempotencyKey: key.trim() }),
    ...(Object.keys(labels.value).length > 0 && { labels: labels.value }),
    ...(lane !== '' && { lane }),
    ...(priority !== 0 && { priority }),
    ...(runAt !== undefined && { runAt }),
    ...(notAfter !== undefined && { notAfter }),
    ...(version !== null && { version }),
  };
}

/** With its zone; undefined for an empty field, null for a text that is no time. */
function timeOf(local: string): string | null | undefined {
  if (local === '') return undefined;
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
