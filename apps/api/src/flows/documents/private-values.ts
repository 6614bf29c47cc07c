/**
 * Finds values that must not leave the company in a document: those whose field name means a secret, and ids of other
 * resources of the company. They are replaced by a placeholder; a flow that still contains one cannot be enabled. Expressions
 * are kept: they say where a secret comes from and contain none. Pure.
 */
import type { LayerDefinition } from '@weft/engine';
import { meansSecret } from '@weft/persistence';

/** Stands where a value was left out of a document. */
export const LEFT_OUT = '[left out]';

type Free = Readonly<Record<string, unknown>>;

/** The names of fields and the positions in lists, from the outside in: a name may contain dots. */
type Path = readonly string[];

/** Arguments that are ids of the company, by appId; at the top of the args. */
const ID_ARGS: Readonly<Record<string, readonly string[]>> = {
  'run-flow': ['flowId'],
  approval: ['approvers'],
};

/** The id of an integration link, in any module that uses one. */
const INTEGRATION = 'integrationId';

/** A copy of a layer's args without private values. */
export function withoutPrivateArgs({ appId, args }: Pick<LayerDefinition, 'appId' | 'args'>): Free {
  const ids = Object.hasOwn(ID_ARGS, appId) ? ID_ARGS[appId] : undefined;
  return mapFields(args, (name) => ids?.includes(name) ?? false, [], hide);
}

/** A copy of args, fixtures, variables and the like without secrets. */
export function withoutSecretValues<T extends Free>(values: T): T {
  return mapFields(values, () => false, [], hide) as T;
}

/** Where in a layer's args a value still has to be filled in; paths from the args, in dots. */
export function leftOutPaths({ appId, args }: Pick<LayerDefinition, 'appId' | 'args'>): string[] {
  const paths: string[] = [];
  const ids = Object.hasOwn(ID_ARGS, appId) ? ID_ARGS[appId] : undefined;
  const look = (text: string, path: Path): string => {
    if (text === LEFT_OUT) paths.push(path.join('.'));
    return text;
  };
  mapFields(args, (name) => ids?.includes(name) ?? false, [], look);
  return paths;
}

/** A copy with what is stored in the places where values were left out; what is not stored as a text stays left out. */
export function withKeptValues<T extends Free>(values: T, stored: Free | null | undefined): T {
  if (!stored) return values;
  const keep = (text: string, path: Path): string => {
    const kept = text === LEFT_OUT ? valueAt(stored, path) : undefined;
    return typeof kept === 'string' ? kept : text;
  };
  return mapFields(values, () => true, [], keep) as T;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, name) => {
    const isThere = typeof at === 'object' && at !== null && Object.hasOwn(at, name);
    return isThere ? (at as Free)[name] : undefined;
  }, value);
}

type Visit = (text: string, path: Path) => string;

function mapFields(value: Free, isId: (name: string) => boolean, path: Path, visit: Visit): Free {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isPrivate = isId(name) || name === INTEGRATION || meansSecret(name);
      return [name, mapValue(inner, isPrivate, [...path, name], visit)];
    }),
  );
}

function mapValue(value: unknown, isPrivate: boolean, path: Path, visit: Visit): unknown {
  if (typeof value === 'string') return isPrivate ? visit(value, path) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, i) => mapValue(item, isPrivate, [...path, String(i)], visit));
  return mapFields(value as Free, () => isPrivate, path, visit);
}

function hide(text: string): string {
  return holdsNothing(text) ? text : LEFT_OUT;
}

/** Nothing, or expressions with at most the word of an authentication scheme before them. */
export function holdsNothing(text: string): boolean {
  return /^(?:(?:basic|bearer|token|apikey|digest)\s+)?$/i.test(withoutExpressions(text).trimStart());
}

/** Cut at braces only: an expression that holds `}}` in a quoted text leaves a rest, and so is hidden rather than shown. */
function withoutExpressions(text: string): string {
  return text.replace(/\{\{[^{}]*\}\}/g, '');
}
