/** What a rehearsed play would have done otherwise than the recorded one. Pure. */
import type { BacktestDifference, BacktestItem, FlowChange } from '@weft/contracts';
import { parseStoredJson } from '@weft/kernel';
import { shownError, type LayerResult, type Play } from '@weft/engine';
import {
  reachesOutside,
  recordedLayers,
  type DryRunLayer,
  type LoggedCall,
  type PlayRehearsal,
  type RecordedLayer,
  type RecordedPlay,
} from '@weft/layers';
import { cutValue } from '../cut-value.js';
import { compareValues } from '../versions/compare-values.js';

/** Differences that are listed for one play at most. */
const MAX_DIFFERENCES = 20;
/** Characters of JSON that a shown value may have. */
const MAX_SHOWN = 500;
/** Characters of a long text before the place where it differs. */
const MAX_SHOWN_BEFORE = 80;
/** Of `missing`. */
const MAX_MISSING = 50;

/** What the play and the rehearsal agreed on or not, before its result is known. */
export interface Comparison {
  readonly differences: readonly BacktestDifference[];
  readonly missing: readonly string[];
}

/** The out of a recorded layer; undefined when it is not stored any more, or too large to be compared. */
export type RecordedOuts = (result: LayerResult) => unknown;

export function asItem(playId: string, { differences, missing }: Comparison, isSure: boolean): BacktestItem {
  const result = differences.length > 0 ? 'different' : missing.length > 0 || !isSure ? 'unresolved' : 'same';
  return {
    playId,
    result,
    differences: differences.slice(0, MAX_DIFFERENCES).map(({ ref, path, before, after }) => {
      const [was, is] = fromDifference(before, after);
      return { ref, path, before: cutValue(was, MAX_SHOWN), after: cutValue(is, MAX_SHOWN) };
    }),
    missing: missing.slice(0, MAX_MISSING),
  };
}

/** Of long texts the part from shortly before the place where they differ: what is cut is not what was changed. */
function fromDifference(before: unknown, after: unknown): readonly [unknown, unknown] {
  if (typeof before !== 'string' || typeof after !== 'string') return [before, after];
  const shortest = Math.min(before.length, after.length);
  let same = 0;
  while (same < shortest && before[same] === after[same]) same += 1;
  const from = same - MAX_SHOWN_BEFORE;
  if (from <= 0 || Math.max(before.length, after.length) < MAX_SHOWN) return [before, after];
  const part = (text: string): string => `…${text.slice(from).toWellFormed()}`;
  return [part(before), part(after)];
}

/** One difference of the play as a whole. */
export function differenceOfPlay(path: '$state' | '$error' | '$out', before: unknown, after: unknown): Comparison {
  return { differences: [{ ref: null, path, before, after }], missing: [] };
}

/**
 * Layers that depend on a missing answer are not compared, nor what was not reached: the failure before it is the difference.
 *
 * @param outs of the recorded layers that are pure
 */
export function comparePlays(recorded: RecordedPlay, rehearsal: PlayRehearsal, outs: RecordedOuts): Comparison {
  const { play } = recorded;
  const records = recordedLayers(recorded);
  const differences: BacktestDifference[] = [];
  const missing = new Set(rehearsal.missingFixtures);
  const wasInterrupted = endedFromOutside(play);
  for (const layer of rehearsal.layers) {
    const { ref, state } = layer;
    if (rehearsal.uncertain.has(ref) || state === 'NEW') continue;
    const record = records.get(ref);
    if (record) {
      const found = compareLayer(record, layer, rehearsal, outs);
      if (found) differences.push(...found);
      else missing.add(ref);
    } else if (wasInterrupted) missing.add(ref);
  }
  differences.push(...removedCalls(records, rehearsal));
  const isWhole = missing.size === 0 && !wasInterrupted;
  if (isWhole) differences.push(...comparePlayEnds(play, rehearsal, outs));
  return { differences, missing: [...missing] };
}

/** By a command or a time limit, which says nothing about the version. */
function endedFromOutside({ state, error, layers }: Play): boolean {
  return state === 'FAIL' && !layers.some((result) => result.state === 'FAIL' && result.ref === error?.ref);
}

/** Null: nothing can be said. */
function compareLayer(
  { appId, result }: RecordedLayer,
  layer: DryRunLayer,
  { calls, recordedCalls, inSteps, unknownSteps }: PlayRehearsal,
  outs: RecordedOuts,
): BacktestDifference[] | null {
  const { ref, state } = layer;
  const error = shownError(result);
  // the rehearsal has less room for outputs than a worker
  if (layer.error?.code === 'output_too_large' && error?.code !== 'output_too_large') return null;
  const ofState = valuesOf(ref, '$state', result.state, state);
  const ofError = valuesOf(ref, '$error', error, layer.error);
  const compare = inSteps.has(ref) ? compareSteps : compareCalls;
  const ofCalls = compare(ref, recordedCalls.get(ref), calls.get(ref));
  if (unknownSteps.has(ref) && ofCalls.length === 0) return null;
  const found = [...ofState, ...ofError, ...ofCalls];
  if (state !== 'DONE' || result.state !== 'DONE' || reachesOutside(appId)) return found;
  const before = outs(result);
  return before === undefined ? null : [...found, ...valuesOf(ref, '', before, layer.out)];
}

function compareCalls(
  ref: string,
  before: readonly LoggedCall[] = [],
  after: readonly LoggedCall[] = [],
): BacktestDifference[] {
  if (before.length === after.length && before.every(({ digest }, i) => digest === after[i]?.digest)) return [];
  const isLoop = before.length > 1 || after.length > 1;
  const argsOf = (calls: readonly LoggedCall[]): unknown =>
    isLoop ? calls.map(({ args }) => args ?? null) : (calls[0]?.args ?? null);
  const found = valuesOf(ref, '$args', argsOf(before), argsOf(after));
  const isKnown = [...before, ...after].every(({ args }) => args !== undefined);
  return found.length > 0 || isKnown ? found : [{ ref, path: '$args', before: null, after: null }];
}

/** The first step that asks something else: what follows it cannot be known. */
function compareSteps(
  ref: string,
  before: readonly LoggedCall[] = [],
  after: readonly LoggedCall[] = [],
): BacktestDifference[] {
  const all = Array.from({ length: Math.max(before.length, after.length) }, (_, i) => i);
  const at = all.find((i) => before[i]?.digest !== after[i]?.digest);
  if (at === undefined) return [];
  const path = `$steps.${at}`;
  const [was, is] = [before[at]?.args ?? null, after[at]?.args ?? null];
  if (kindOf(was) !== kindOf(is)) return [{ ref, path, before: was, after: is }];
  const found = valuesOf(ref, path, was, is);
  return found.length > 0 ? found : [{ ref, path, before: null, after: null }];
}

/** What a step is; without a kind it is the end of the layer. */
function kindOf(asks: unknown): string {
  const { kind, tool } = (asks ?? {}) as { readonly kind?: string; readonly tool?: string };
  return `${kind} ${tool}`;
}

/** Layers that had called somebody, and are not there any more. */
function removedCalls(records: ReadonlyMap<string, RecordedLayer>, { layers }: PlayRehearsal): BacktestDifference[] {
  const refs = new Set(layers.map(({ ref }) => ref));
  return [...records].flatMap(([ref, { appId, result }]) => {
    const didCall = reachesOutside(appId) && (result.state === 'DONE' || result.state === 'FAIL');
    return didCall && !refs.has(ref) ? [{ ref, path: '$state', before: result.state, after: null }] : [];
  });
}

/** Its state; and, where another layer is the last one that ran, what whoever waits for the play is given. */
function comparePlayEnds(play: Play, { state, layers }: PlayRehearsal, outs: RecordedOuts): BacktestDifference[] {
  const ofState = valuesOf(null, '$state', play.state, state);
  const was = play.layers.filter((result) => result.state === 'DONE').sort((a, b) => b.position - a.position)[0];
  const is = layers.findLast((layer) => layer.state === 'DONE');
  if (ofState.length > 0 || was?.ref === is?.ref) return ofState;
  return valuesOf(null, '$out', was && outs(was), is?.out);
}

function valuesOf(ref: string | null, path: string, before: unknown, after: unknown): BacktestDifference[] {
  const found: FlowChange[] = [];
  if (path === '$error') return sameError(before, after) ? [] : [{ ref, path, before, after }];
  compareValues(path, before ?? null, asJson(after), found, MAX_DIFFERENCES);
  return found.map((each) => ({ ref, ...each }));
}

type LayerError = DryRunLayer['error'];

function sameError(before: unknown, after: unknown): boolean {
  const [one, other] = [before as LayerError, after as LayerError];
  return one?.code === other?.code && one?.message === other?.message;
}

/** As it would be stored. */
function asJson(value: unknown): unknown {
  return parseStoredJson(JSON.stringify(value ?? null));
}
