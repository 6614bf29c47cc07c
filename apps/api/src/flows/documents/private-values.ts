/**
 * Finds values that must not leave the company in a document: those whose field name means a secret, texts that look like one
 * under any name, and ids of other resources of the company. They are replaced by a placeholder; a flow that still contains one
 * cannot be enabled. Expressions are kept where they only say where a secret comes from. Pure.
 */
import type { LayerDefinition } from '@weft/engine';
import { readsOf } from '../blueprints/blueprint-vars.js';
import { isSecretField, looksSecret } from '../judgement/secret-text.js';
import { LEFT_OUT, type Path } from './fill-left-out.js';

type Free = Readonly<Record<string, unknown>>;

/** Arguments that are ids of the company, by appId; paths from the args, without positions in lists. */
const ID_ARGS: Readonly<Record<string, readonly string[]>> = {
  'run-flow': ['flowId'],
  approval: ['approvers'],
  agent: ['approvers', 'tools.flowId'],
};

/** The id of an integration link, in any module that uses one. */
const INTEGRATION = 'integrationId';

/** A copy of a layer's args without private values. */
export function withoutPrivateArgs({ appId, args }: Pick<LayerDefinition, 'appId' | 'args'>): Free {
  const ids = Object.hasOwn(ID_ARGS, appId) ? ID_ARGS[appId] : undefined;
  const isId: IsId = (name, path) =>
    ids?.includes([...path.filter((step) => !/^\d+$/.test(step)), name].join('.')) ?? false;
  return mapFields(args, isId, [], hide);
}

/** Whether the field of this name is an id; @param path of the object around it */
type IsId = (name: string, path: Path) => boolean;

/** A copy of args, fixtures, variables and the like without secrets. */
export function withoutSecretValues<T extends Free>(values: T): T {
  return mapFields(values, () => false, [], hide) as T;
}

/** A copy of values for somebody who may see where they are used, with a placeholder for each secret. Ids stay. */
export function withSecretsHidden<T extends Free>(values: T, placeholder: string): T {
  const visit: Visit = (value, path, isPrivate) =>
    path.at(-1) === INTEGRATION || hide(value, path, isPrivate) !== LEFT_OUT ? value : placeholder;
  return mapFields(values, () => false, [], visit) as T;
}

/** The variables of a flow without secrets, and without what its layers read as an id of the company. */
export function withoutPrivateVars<T extends Readonly<Record<string, string>>>(
  vars: T,
  layers: readonly Pick<LayerDefinition, 'appId' | 'args'>[],
): T {
  const ids = new Set(
    layers.flatMap((layer) =>
      idsOf(layer)
        .flatMap(readsOf)
        .map(({ name }) => name),
    ),
  );
  const shown = Object.entries(withoutSecretValues(vars)).map(([name, value]) => [
    name,
    ids.has(name) ? LEFT_OUT : value,
  ]);
  return Object.fromEntries(shown) as T;
}

function idsOf({ appId, args }: Pick<LayerDefinition, 'appId' | 'args'>): unknown[] {
  const paths = (Object.hasOwn(ID_ARGS, appId) ? ID_ARGS[appId] : undefined) ?? [];
  return [...paths.flatMap((path) => valuesAt(args, path.split('.'))), ...integrationsIn(args)];
}

/** Through lists. */
function valuesAt(value: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (Array.isArray(value) && step !== undefined) return value.flatMap((item) => valuesAt(item, [step, ...rest]));
  if (step === undefined) return [value];
  return typeof value === 'object' && value !== null ? valuesAt((value as Free)[step], rest) : [];
}

function integrationsIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    name === INTEGRATION ? [inner] : integrationsIn(inner),
  );
}

/** Where in a layer's args a value still has to be filled in; paths from the args. */
export function leftOutPlaces({ args }: Pick<LayerDefinition, 'args'>): Path[] {
  const places: Path[] = [];
  const look: Visit = (value, path) => {
    if (value === LEFT_OUT) places.push(path);
    return value;
  };
  mapFields(args, () => false, [], look);
  return places;
}

/** Of each text and number; @param isPrivate by its name, or that of something around it */
type Visit = (value: string | number, path: Path, isPrivate: boolean) => string | number;

function mapFields(value: Free, isId: IsId, path: Path, visit: Visit): Free {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isPrivate = isId(name, path) || name === INTEGRATION || isSecretField(value, name);
      return [name, mapValue(inner, isPrivate, isId, [...path, name], visit)];
    }),
  );
}

function mapValue(value: unknown, isPrivate: boolean, isId: IsId, path: Path, visit: Visit): unknown {
  if (typeof value === 'string' || typeof value === 'number') return visit(value, path, isPrivate);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, i) => mapValue(item, isPrivate, isId, [...path, String(i)], visit));
  return mapFields(value as Free, isPrivate ? () => true : isId, path, visit);
}

/** A number is hidden only by its name. */
function hide(value: string | number, _path: Path, isPrivate: boolean): string | number {
  const isHidden = typeof value === 'string' ? looksSecret(value, isPrivate) : isPrivate;
  return isHidden ? LEFT_OUT : value;
}
