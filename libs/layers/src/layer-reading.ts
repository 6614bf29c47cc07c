/** Finds what a layer reads and names when it is saved, without running it. It validates nothing. */
import type { LayerDefinition } from '@weft/engine';
import {
  ExpressionSyntaxError,
  blueprintReads,
  blueprintReadsOf,
  compileCondition,
  compileWhole,
  REPEAT_VARIABLES,
  RichBudget,
  type BlueprintRead,
  type CompiledValue,
  type LayerReference,
  type SyntaxFault,
} from '@weft/expressions';
import { compileArgs, compilePaging, compileProgram } from './compiled-args.js';
import { pagingOf, type LayerModule } from './layer-module.js';
import { moduleOf } from './registry.js';

export interface LayerReading {
  /** Expressions that cannot be parsed; paths from the layer's root. */
  readonly faults: readonly SyntaxFault[];
  /** Outputs of other layers that it reads. */
  readonly refs: readonly LayerReference[];
  /** Layers that it decides on (a branch). */
  readonly steers: readonly { readonly path: string; readonly ref: string }[];
  /** Where it reads `$item` or `$index`. */
  readonly itemPaths: readonly string[];
  /** Arguments that are a list only when a filter finds several values. */
  readonly sequencePaths: readonly string[];
  readonly blueprint: readonly BlueprintRead[];
  /** Where the arguments contain texts with expressions, in dots; null when one of them cannot be parsed. */
  readonly expressionPaths: readonly string[] | null;
  /** The cost of parsing, as `RichBudget` counts it. */
  readonly richChars: number;
}

export type LayerTexts = Pick<LayerDefinition, 'appId' | 'args' | 'when' | 'forEach' | 'repeat'>;

/** By args: saving a layer reads them for its faults, for its flow's warnings and for its variables. */
const READ = new WeakMap<object, { readonly of: LayerTexts; readonly reading: LayerReading }>();

export function readLayer(layer: LayerTexts): LayerReading {
  const { appId, args, when, forEach, repeat } = layer;
  if (typeof args !== 'object' || args === null) return readTexts(layer);
  const known = READ.get(args);
  const isSame = known?.of.appId === appId && known.of.when === when && known.of.forEach === forEach;
  if (isSame && known.of.repeat === repeat) return known.reading;
  const reading = readTexts(layer);
  READ.set(args, { of: { appId, args, when, forEach, ...(repeat !== undefined && { repeat }) }, reading });
  return reading;
}

function readTexts({ appId, args, when, forEach, repeat }: LayerTexts): LayerReading {
  const module = moduleOf(appId);
  const budget = new RichBudget();
  const variables = repeat ? REPEAT_VARIABLES : undefined;
  const parts = [
    read('args', () => compileArgs(module, args, budget, variables)),
    readProgram(module, args, budget, variables),
    ...readPaging(module, args, budget),
    ...(when === null ? [] : [read('when', () => compileCondition(when, budget))]),
    ...(forEach === null ? [] : [read('forEach.in', () => compileWhole(forEach.in, budget))]),
    ...(repeat ? [read('repeat.until', () => compileCondition(repeat.until, budget, variables))] : []),
  ];
  const faults = [...parts.flatMap((part) => part.faults), ...conditionFaults(module, args)];
  const expressionPaths = parts[0]?.expressionPaths ?? null;
  return {
    faults: withoutRepetition(faults).slice(0, MAX_FAULTS),
    refs: parts.flatMap(({ refs }) => refs),
    itemPaths: parts.flatMap(({ itemPaths }) => itemPaths),
    sequencePaths: sequencesIn(module, args, parts[0]),
    blueprint: parts.flatMap(({ blueprint }) => blueprint),
    steers: valuesAt(args, module?.refs ?? []).flatMap(({ path, value }) =>
      typeof value === 'string' && !value.includes('{{') ? [{ path: `args.${path}`, ref: value }] : [],
    ),
    expressionPaths,
    richChars: budget.used,
  };
}

/** Conditions are left out: they need no list. */
function sequencesIn(module: LayerModule<unknown> | undefined, args: unknown, part: Part | undefined): string[] {
  const conditions = valuesAt(args, module?.conditions ?? []).map(({ path }) => `args.${path}`);
  return (part?.sequencePaths ?? []).filter((path) => !conditions.includes(path));
}

/** Faults of conditions among the arguments, which must be one whole expression. */
function conditionFaults(module: LayerModule<unknown> | undefined, args: unknown): SyntaxFault[] {
  const budget = new RichBudget();
  const faults: SyntaxFault[] = [];
  for (const { path, value } of valuesAt(args, module?.conditions ?? [])) {
    if (typeof value !== 'string') continue;
    faults.push(...read(`args.${path}`, () => compileCondition(value, budget)).faults);
    if (faults.length >= MAX_FAULTS) break;
  }
  return faults;
}

type Part = Pick<LayerReading, 'faults' | 'refs' | 'itemPaths' | 'blueprint'> & Partial<LayerReading>;

const NOTHING: Part = { faults: [], refs: [], itemPaths: [], blueprint: [] };
/** The search for faults stops after this many. */
const MAX_FAULTS = 50;

function read(root: string, compileIt: () => CompiledValue): Part {
  const under = (path: string): string => (path === '' ? root : `${root}.${path}`);
  try {
    const compiled = compileIt();
    const { refs, itemPaths, sequencePaths, expressionPaths } = compiled;
    return {
      blueprint: blueprintReads(compiled).map((each) => ({ ...each, path: under(each.path) })),
      faults: [],
      refs: refs.map((reference) => ({ ...reference, path: under(reference.path) })),
      itemPaths: itemPaths.map(under),
      sequencePaths: sequencePaths.map(under),
      expressionPaths,
    };
  } catch (error) {
    return faultsIn(error, under);
  }
}

function readPaging(module: LayerModule<unknown> | undefined, args: unknown, budget: RichBudget): Part[] {
  try {
    const option = module && pagingOf(module)?.option;
    return [...(compilePaging(module, args, budget) ?? [])].map(([path, compiled]) =>
      read(`args.${option}.${path}`, () => compiled),
    );
  } catch (error) {
    return [faultsIn(error, (path) => `args.${path}`)];
  }
}

function readProgram(
  module: LayerModule<unknown> | undefined,
  args: unknown,
  budget: RichBudget,
  variables: readonly string[] | undefined,
): Part {
  const under = (path: string): string => `args.${path}`;
  try {
    const program = compileProgram(module, args, budget, variables);
    if (!program) return NOTHING;
    const { at, source, reads } = program;
    return {
      faults: [],
      refs: reads.flatMap(({ root, ref }) =>
        root === 'layer' || root === 'errors'
          ? [{ path: under(at), expression: source, ref, ...(root === 'errors' && { ofError: true as const }) }]
          : [],
      ),
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

/** A condition that cannot be parsed is also reported as an argument. */
function withoutRepetition(faults: readonly SyntaxFault[]): SyntaxFault[] {
  const first = new Map<string, SyntaxFault>();
  for (const fault of faults) if (!first.has(fault.path)) first.set(fault.path, fault);
  return [...first.values()];
}

/** Texts of a layer that are, or begin with, an address which it calls. Paths from the layer's root. */
export function destinationsOf({ appId, args }: Pick<LayerTexts, 'appId' | 'args'>): readonly Destination[] {
  return valuesAt(args, moduleOf(appId)?.destinations ?? []).flatMap(({ path, value }) =>
    typeof value === 'string' ? [{ path: `args.${path}`, url: value }] : [],
  );
}

export interface Destination {
  readonly path: string;
  readonly url: string;
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
