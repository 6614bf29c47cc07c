import type { PlayLayer } from '../../play/queries';
import { isReference } from '../../values/reference';

export interface CaseDraft {
  readonly name: string;
  readonly required: boolean;
  readonly args: Readonly<Record<string, unknown>>;
  readonly fixtures: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
}

/** A case may have 128 KB in all: docs/flows.md. */
const MAX_OUT_CHARACTERS = 32_000;

/** The outputs of a play that can be part of a case, by ref: large ones cannot. */
export function outputsOf(layers: readonly PlayLayer[]): ReadonlyMap<string, unknown> {
  const done = layers.filter(
    ({ state, out }) => state === 'DONE' && JSON.stringify(out ?? null).length <= MAX_OUT_CHARACTERS,
  );
  return new Map(done.filter(({ out }) => !isReference(out)).map(({ ref, out }) => [ref, out ?? null]));
}

/**
 * The recorded steps of an agent as its fixture, `{ replay }`, so that a case sees what its model would be asked otherwise; undefined:
 * they are not stored, or too large.
 */
export function replayOf(steps: readonly unknown[]): { readonly replay: readonly unknown[] } | undefined {
  const areRecorded = steps.length > 0 && steps.every((step) => typeof (step as Recorded | null)?.digest === 'string');
  const replay = { replay: steps };
  return areRecorded && JSON.stringify(replay).length <= MAX_OUT_CHARACTERS ? replay : undefined;
}

interface Recorded {
  readonly digest?: unknown;
}

/**
 * What a play did as a case: what reached outside is played back, and the last layer that is run has to give what it gave.
 *
 * @param outside refs of layers that need a fixture
 * @param replayed what agents gave whose fixtures are their steps: they are run, too
 */
export function caseOf(
  args: CaseDraft['args'],
  outputs: ReadonlyMap<string, unknown>,
  outside: readonly string[],
  replayed: ReadonlyMap<string, unknown> = new Map(),
): Pick<CaseDraft, 'args' | 'fixtures' | 'expected'> {
  const fixtures = Object.fromEntries(outside.filter((ref) => outputs.has(ref)).map((ref) => [ref, outputs.get(ref)]));
  const last = [...outputs].findLast(([ref]) => !Object.hasOwn(fixtures, ref) || replayed.has(ref));
  return { args, fixtures, expected: last ? { [last[0]]: replayed.get(last[0]) ?? last[1] } : {} };
}
