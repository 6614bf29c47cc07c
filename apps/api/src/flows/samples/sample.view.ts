import { parseStoredJson } from '@weft/kernel';
import type { SampleDocument } from '@weft/records';
import * as s from '../../http/schema.js';

export interface SampleView {
  readonly ref: string;
  readonly out: unknown;
  readonly bytes: number;
  readonly keptBy: string;
  readonly keptAt: string;
}

export const sampleSchema = s.named(
  'Sample',
  s.object<SampleView>({
    ref: { ...s.text, description: 'Of the layer; the flow may not have it any more.' },
    out: s.anything,
    bytes: { ...s.integer, description: 'Of `out` as JSON.' },
    keptBy: s.text,
    keptAt: s.time,
  }),
);

export interface SamplesView {
  readonly items: readonly SampleView[];
}

export const samplesSchema = s.object<SamplesView>({ items: s.listOf(sampleSchema) });

export function toSampleView({ ref, out, bytes, keptBy, keptAt }: SampleDocument): SampleView {
  return { ref, out: parseStoredJson(out), bytes, keptBy, keptAt: keptAt.toISOString() };
}
