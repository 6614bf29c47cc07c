/**
 * Which variables a blueprint needs, and whether the given ones match. A variable is needed when it is read somewhere without
 * a `??`. Values are data and are never evaluated. Pure.
 */
import { limitKeyOf } from '@weft/contracts';
import { blueprintReads, compile, ExpressionSyntaxError, Suggestions, type BlueprintRead } from '@weft/expressions';
import { boundedErrors, MAX_ERRORS, WeftError, type FieldError } from '@weft/kernel';
import { readLayer } from '@weft/layers';
import type { FlowDocument } from '@weft/records';
import { yieldingToEventLoop } from '../yielding-to-event-loop.js';

export interface BlueprintVar {
  readonly name: string;
  /** The layers that read it, in order; none when only the flow's own condition does. */
  readonly refs: readonly string[];
  readonly needed: boolean;
}

export type VarValues = Readonly<Record<string, string>>;

/** Every variable that a flow reads, in the order of their first use. */
export async function blueprintVarsOf({
  when,
  layers,
  settings,
}: Pick<FlowDocument, 'when' | 'layers'> & {
  readonly settings?: Partial<Pick<FlowDocument['settings'], 'lane' | 'concurrency'>>;
}): Promise<BlueprintVar[]> {
  const vars = new Map<string, { refs: Set<string>; needed: boolean }>();
  const add = (reads: readonly BlueprintRead[], ref: string | null): void => {
    for (const { name, hasFallback } of reads) {
      const known = vars.get(name) ?? { refs: new Set<string>(), needed: false };
      if (ref !== null) known.refs.add(ref);
      vars.set(name, { refs: known.refs, needed: known.needed || !hasFallback });
    }
  };
  for await (const layer of yieldingToEventLoop(layers)) add(readLayer(layer).blueprint, layer.ref);
  const key = limitKeyOf(settings?.concurrency ?? null);
  add(readsOf({ when, lane: settings?.lane ?? null, key }), null);
  return [...vars].map(([name, { refs, needed }]) => ({ name, refs: [...refs], needed }));
}

/**
 * The values of an instance: those of the blueprint itself, where it is an instance of another one, under the given ones.
 *
 * @throws WeftError `missing_blueprint_vars` naming all, `unknown_blueprint_vars`
 */
export function chooseVars(vars: readonly BlueprintVar[], inherited: VarValues, given: VarValues): VarValues {
  return choose(vars, unsetVars(vars, { ...inherited, ...given }), inherited, given);
}

/**
 * The values of a flow with some new ones. What is missing still is a matter of enabling it.
 *
 * @throws WeftError `unknown_blueprint_vars`
 */
export function changeVars(vars: readonly BlueprintVar[], before: VarValues, given: VarValues): VarValues {
  return choose(vars, [], before, given);
}

function choose(
  vars: readonly BlueprintVar[],
  missing: readonly BlueprintVar[],
  inherited: VarValues,
  given: VarValues,
): VarValues {
  const known = new Set(vars.map(({ name }) => name));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  const suggestions = new Suggestions([...known]);
  const errors = boundedErrors(
    [
      ...missing.slice(0, MAX_ERRORS).map((variable) => missingVar(variable, `blueprintVars.${variable.name}`)),
      ...unknown.slice(0, MAX_ERRORS).map((name) => unknownVar(name, suggestions)),
    ],
    missing.length + unknown.length,
  );
  if (missing.length > 0) {
    const names = someOf(missing.map(({ name }) => name));
    throw new WeftError('missing_blueprint_vars', `These variables were not given: ${names}.`, { errors });
  }
  if (unknown.length > 0) {
    throw new WeftError('unknown_blueprint_vars', `The blueprint reads no ${someOf(unknown)}.`, { errors });
  }
  return { ...inherited, ...given };
}

/** Needed variables without a value. */
export function unsetVars(vars: readonly BlueprintVar[], values: VarValues): BlueprintVar[] {
  return vars.filter(({ name, needed }) => needed && !Object.hasOwn(values, name));
}

export function missingVar({ name, refs }: BlueprintVar, path: string): FieldError {
  const by = refs.length > 0 ? `read by ${someOf(refs)}` : 'read by the condition of the flow';
  return { path, code: 'missing_blueprint_vars', message: `the blueprint variable "${name}" has no value (${by})` };
}

function unknownVar(name: string, suggestions: Suggestions): FieldError {
  const near = suggestions.for(name);
  const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : '';
  const message = `the blueprint reads no variable "${name}"${hint}`;
  return { path: `blueprintVars.${name}`, code: 'unknown_blueprint_vars', message };
}

/** Names that the message lists; it counts the others. */
const MAX_NAMES = 20;

function someOf(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `${names.slice(0, MAX_NAMES).join(', ')}${more}`;
}

/** The variables that one value of a layer reads; none where it cannot be read. */
export function readsOf(value: unknown): readonly BlueprintRead[] {
  try {
    return blueprintReads(compile(value));
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) return []; // another build took it; validate says so
    throw error;
  }
}
