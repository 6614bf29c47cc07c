/** A version whose layers that would reach outside only note their calls: what a play recorded replaces their answers. */
import { outOf, type FlowVersion } from '@weft/engine';
import { z } from 'zod';
import type { Faces } from '../face.js';
import type { LayerContext, Output } from '../layer-module.js';
import type { RecordedStep } from '../stepping-module.js';
import { invalidArgs } from '../call/failure.js';
import type { LayerEnd } from '../call/layer-runner.js';
import { withoutMarks } from '../call/link-marks.js';
import type { PreparedLayer, PreparedVersion } from '../call/prepared-version.js';
import type { CallLog } from './call-log.js';
import { reachesOutside, recordedOut, wasAnswered, type RecordedLayer } from './recorded-play.js';
import { noteSteps } from './note-steps.js';
import { missingFixture, standIn, withStandIns } from './rehearsed-version.js';

export interface Records {
  readonly companyName: string;
  readonly playUrl: PreparedVersion['playUrl'];
  readonly layers: ReadonlyMap<string, RecordedLayer>;
  /** By ref: the recorded steps of layers that work in steps, where they are stored. */
  readonly steps: ReadonlyMap<string, readonly RecordedStep[]>;
  /** What the version's layers name that the company has of its own. */
  readonly faces: Faces;
  readonly calls: CallLog;
  /** Whether an answer was missing before: what reads it finds null, and is not checked against its schema. */
  readonly incomplete: () => boolean;
}

export function withRecords(version: FlowVersion, records: Records): PreparedVersion {
  const { companyName, playUrl, faces } = records;
  return withStandIns(version, companyName, (layer) => noting(layer, records), playUrl, faces);
}

/** What is recorded for this layer, if a call of it was answered by the same module. */
export function answerFor(
  { ref, appId }: { readonly ref: string; readonly appId: string },
  layers: ReadonlyMap<string, RecordedLayer>,
): RecordedLayer | null {
  const recorded = layers.get(ref);
  return recorded?.appId === appId && wasAnswered(recorded) ? recorded : null;
}

/** The recorded end in the place of the end of a noted call. */
export function asRecorded(end: LayerEnd, { result: recorded }: RecordedLayer): LayerEnd {
  if (end.outcome.kind !== 'result' || end.outcome.result.state !== 'DONE') return end;
  const { state, outRef, outBytes, error } = recorded;
  const { jsonFrom: _jsonFrom, ...made } = end.outcome.result;
  const stored = { out: outRef ? null : outOf(recorded), outBytes, ...(outRef && { outRef }) };
  const result = { ...made, state, ...stored, ...(error && { error }) };
  return { outcome: { kind: 'result', result }, out: recordedOut(recorded) };
}

function noting(layer: PreparedLayer, records: Records): PreparedLayer {
  const { layers, calls, incomplete } = records;
  const { module, definition } = layer;
  const { ref, appId } = definition;
  if (!module || !reachesOutside(appId)) return layer;
  const run = (args: unknown, context: LayerContext): Output | Promise<Output> => {
    const { idempotencyKey } = context;
    const parsed = module.argsSchema.safeParse(args);
    if (parsed.error && !incomplete()) throw invalidArgs(parsed.error, module.argsSchema, args);
    const steps = records.steps.get(ref);
    if (parsed.success && module.effect === 'steps' && steps && answerFor(definition, layers))
      return noteSteps({ ref, module, args: parsed.data, steps }, records, context);
    const index = layer.items ? Number(idempotencyKey.slice(idempotencyKey.lastIndexOf('.') + 1)) : 0;
    calls.add(ref, index, withoutMarks(parsed.data ?? args));
    if (!answerFor(definition, layers)) throw missingFixture(ref);
    return {};
  };
  return { ...layer, paging: null, until: null, module: { ...standIn(module, run), argsSchema: z.unknown() } };
}
