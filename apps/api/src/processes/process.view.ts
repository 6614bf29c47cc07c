import type { HealthProbeDocument } from '@weft/records';
import { listOf, named, object, text, time } from '../http/schema.js';

export interface ProcessView {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly host: string;
  readonly started_at: string;
  readonly seen_at: string;
}

export interface ProcessesView {
  readonly processes: readonly ProcessView[];
}

export const processesSchema = named(
  'Processes',
  object<ProcessesView>({
    processes: listOf(
      object<ProcessView>({
        id: { ...text, description: 'New at each start.' },
        name: { ...text, description: 'What it is: `api`, `worker`, `realtime`, `scheduler` or `standalone`.' },
        version: text,
        host: { ...text, description: 'The name of its machine: with Kubernetes, of its pod.' },
        started_at: time,
        seen_at: {
          ...time,
          description: 'Its last sign of life; every 2 s. One that gives none for a minute is left out.',
        },
      }),
    ),
  }),
);

export function toProcessView({ _id, name, version, host, startedAt, at }: HealthProbeDocument): ProcessView {
  return {
    id: _id,
    name: name ?? '',
    version: version ?? '',
    host: host ?? '',
    started_at: (startedAt ?? at).toISOString(),
    seen_at: at.toISOString(),
  };
}
