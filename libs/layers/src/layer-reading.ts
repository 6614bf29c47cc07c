/** What a layer that is being saved reads and names, found without running it. Judges nothing. */
import type { LayerDefinition } from '@weft/engine';
import {
  ExpressionSyntaxError,
  blueprintReads,
  blueprintReadsOf,
  compileCondition,
  compileWhole,
  type BlueprintRead,
  type CompiledValue,
  type LayerReference,
  type SyntaxFault,
} from '@weft/expressions';
import { compileArgs, compileProgram } from './compiled-args.js';
import type { LayerModule } from './layer-module.js';
import { moduleOf } from './registry.js';

export interface LayerReading {
  /** Expressions that cannot be read; paths from the layer's root. */
  readonly faults: readonly SyntaxFault[];
  /** Outputs of other layers that it reads. */
  readonly refs: readonly LayerReference[];
  /** Layers that it decides on (a branch). */
  readonly steers: readonly { readonly path: string; readonly ref: string }[];
  /** Where it reads `$item` or `$index`. */
  readonly itemPaths: readonly string[];
  readonly blueprint: readonly BlueprintRead[];
}

export type LayerTexts = Pick<LayerDefinition, 'appId' | 'args' | 'when' | 'forEach'>;

export function readLayer({ appId, args, when, forEach }: LayerTexts): LayerReading {
  const module = moduleOf(appId);
  const parts = [
    read('args', () => compileArgs(module, args)),
    readProgram(module, args),
    ...valuesAt(args, module?.conditions ?? []).flatMap(({ path, value }) =>
      typeof value === 'string'
        ? [{ ...NOTHING, faults: read(`args.${path}`, () => compileCondition(value)).faults }]
        : [],
    ),
    ...(when === null ? [] : [read('when', () => compileCondition(when))]),
    ...(forEach === null ? [] : [read('forEach.in', () => compileWhole(forEach.in))]),
  ];
  return {
    faults: withoutRepetition(parts.flatMap(({ faults }) => faults)),
    refs: parts.flatMap(({ refs }) => refs),
    itemPaths: parts.flatMap(({ itemPaths }) => itemPaths),
    blueprint: parts.flatMap(({ blueprint }) => blueprint),
    steers: valuesAt(args, module?.refs ?? []).flatMap(({ path, value }) =>
      typeof value === 'string' && !value.includes('{{') ? [{ path: `args.${path}`, ref: value }] : [],
    ),
  };
}

type Part = Pick<LayerReading, 'faults' | 'refs' | 'itemPaths' | 'blueprint'>;

const NOTHING: Part = { faults: [], refs: [], itemPaths: [], blueprint: [] };

function read(root: string, compileIt: () => CompiledValue): Part {
  const under = (path: string): string => (path === '' ? root : `${root}.${path}`);
  try {
    const compiled = compileIt();
    const { refs, itemPaths } = compiled;
    return {
      blueprint: blueprintReads(compiled).map((each) => ({ ...each, path: under(each.path) })),
      faults: [],
      refs: refs.map((reference) => ({ ...reference, path: under(reference.path) })),
      itemPaths: itemPaths.map(under),
    };
  } catch (error) {
    return faultsIn(error, under);
  }
}

function readProgram(module: LayerModule<unknown> | undefined, args: unknown): Part {
  const under = (path: string): string => `args.${path}`;
  try {
    const program = compileProgram(module, args);
    if (!program) return NOTHING;
    const { at, source, reads } = program;
    return {
      faults: [],
      refs: reads.flatMap(({ root, ref }) => (root === 'layer' ? [{ path: under(at), expression: source, ref }] : [])),
      itemPaths: reads.some(({ root }) => root === 'item' || root === 'index') ? [under(at)] : [],
      blueprint: blueprintReadsOf(program).map((each) => ({ ...each, path: under(each.path) })),
    };
  } catch (error) {
    return faultsIn(error, under);
  }
}

function faultsIn(error: unknown, under: (path: string) => string): Part {
  if (!(error instanceof ExpressionSyntaxError)) throw error;
  return { ...NOTHING, faults: error.faults.map(({ path, message }) => ({ path: under(path), message })) };
}

/** A condition that cannot be parsed is found as an argument, too. */
function withoutRepetition(faults: readonly SyntaxFault[]): SyntaxFault[] {
  return faults.filter(({ path }, i) => faults.findIndex((other) => other.path === path) === i);
}

interface Place {
  readonly path: string;
  readonly value: unknown;
}

/** The values at paths in dots; `*` is any position of a list. */
function valuesAt(value: unknown, patterns: readonly string[]): Place[] {
  return patterns.flatMap((pattern) =>
    pattern
      .split('.')
      .reduce<Place[]>((places, step) => places.flatMap((place) => within(place, step)), [{ path: '', value }]),
  );
}

function within({ path, value }: Place, step: string): Place[] {
  const at = (key: string, found: unknown): Place => ({ path: path === '' ? key : `${path}.${key}`, value: found });
  if (step === '*') return Array.isArray(value) ? value.map((found: unknown, i) => at(String(i), found)) : [];
  const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, step);
  return isThere ? [at(step, (value as Readonly<Record<string, unknown>>)[step])] : [];
}
