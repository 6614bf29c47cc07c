/** What of a difference between two states of an operation concerns one layer that uses it. */
import type { OperationDifference } from '@weft/openapi';

/** All of them are shown with the operation; many layers may use it. */
const MOST_CHANGES = 20;

type Change = OperationDifference['changes'][number];

/** What expressions of a flow read of the output of a layer. */
export interface OutputRead {
  readonly steps: readonly (string | number)[];
  /** Steps are names only: they go through lists by themselves. */
  readonly throughLists: boolean;
}

export interface TouchedLayer {
  /** `changed`: the flow goes on as before. */
  readonly result: 'removed' | 'breaking' | 'changed';
  /** The first 20, those that break it first. */
  readonly changes: readonly Change[];
}

/** @param input of the layer @param reads of all layers and expressions of the flow, of the output of this layer */
export function touchedLayer(
  { result, changes }: OperationDifference,
  input: unknown,
  reads: readonly OutputRead[],
): TouchedLayer {
  if (result === 'removed') return { result, changes: [] };
  const own = changes.map((change) => ({ ...change, breaks: change.breaks && concerns(change, input, reads) }));
  const isBreaking = own.some(({ breaks }) => breaks);
  return {
    result: isBreaking ? 'breaking' : 'changed',
    changes: own.toSorted((a, b) => Number(b.breaks) - Number(a.breaks)).slice(0, MOST_CHANGES),
  };
}

/** Where it is not known, it does. */
function concerns({ place, path, what }: Change, input: unknown, reads: readonly OutputRead[]): boolean {
  // too much to compare, what is sent otherwise, and a path that is not whole
  if (place === 'plan' || what === 'unknown' || path.endsWith('…')) return true;
  const parts = path === '' ? [] : path.split('.');
  if (place === 'out') return reads.some((read) => meets(partsOf(read), parts, read.throughLists));
  const isNeeded = what === 'required' || what === 'added';
  return isGiven(input, isNeeded ? parts.slice(0, -1) : parts);
}

/** A name may have dots, and is then several parts in both. */
function partsOf({ steps }: OutputRead): string[] {
  return steps.flatMap((step) => String(step).split('.'));
}

/** Whether one of them is part of the other. */
function meets(read: readonly string[], changed: readonly string[], throughLists: boolean): boolean {
  let [i, j] = [0, 0];
  while (i < read.length && j < changed.length) {
    if (read[i] === changed[j]) i += 1;
    else if (changed[j] !== '*') return false;
    else if (!throughLists) i += 1;
    j += 1;
  }
  return true;
}

/** Whether the input has a value there, or an expression that may give one. */
function isGiven(value: unknown, parts: readonly string[]): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return true;
  if (typeof value !== 'object' || value === null) return value !== undefined;
  if (part === '*') return Object.values(value).some((each) => isGiven(each, rest));
  // the name itself may have dots
  return Object.entries(value).some(([name, inner]) => {
    const own = name.split('.');
    return own.every((each, at) => each === parts[at]) && isGiven(inner, parts.slice(own.length));
  });
}
