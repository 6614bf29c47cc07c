import { limitKeyOf } from '@weft/contracts';
import {
  compile,
  evaluate,
  EvaluationError,
  ExpressionSyntaxError,
  type CompiledValue,
  type ExpressionScope,
} from '@weft/expressions';
import { laneFault, queueNameFault } from '@weft/engine';
import { WeftError, type FieldError } from '@weft/kernel';
import { SandboxFailure } from '@weft/sandbox';
import type { FlowSettings } from '@weft/shapes';
import { companyOf, expressionsIn, scopeOfRun, unreadableIn, type FlowOfRun } from './acceptance-expressions.js';
import { withComputed, type ComputingDeps } from './compute-expressions.js';

/** What a flow names its queues by: texts, in which expressions may read what is known before any layer. */
const NAMES = {
  lane: {
    path: 'settings.lane',
    code: 'invalid_lane',
    of: ({ lane }: NamingSettings) => lane,
    fault: laneFault,
  },
  limitKey: {
    path: 'settings.concurrency.key',
    code: 'invalid_limit_key',
    of: ({ concurrency = null }: NamingSettings) => limitKeyOf(concurrency),
    fault: (name: unknown) => queueNameFault('a key', name),
  },
} as const;

type Name = keyof typeof NAMES;
type NamingSettings = Partial<Pick<FlowSettings, 'lane' | 'concurrency'>>;

/** The faults of `settings.lane`, and of `settings.concurrency.key`. */
export function queueNameFaults(settings: NamingSettings): FieldError[] {
  return [...faultsOf('lane', settings), ...faultsOf('limitKey', settings)];
}

function faultsOf(name: Name, settings: NamingSettings): FieldError[] {
  const { path, of, fault: nameFault } = NAMES[name];
  const text = of(settings);
  if (text == null) return [];
  const fault = (message: string): FieldError => ({ path, code: 'invalid_expression', message });
  try {
    const { node } = compile(text);
    const [read] = expressionsIn(node).flatMap((one) => unreadableIn(one) ?? []);
    if (read !== undefined)
      return [fault(`it is found before any layer and cannot read ${read}: it reads $prev.args, $blueprint and $flow`)];
    const wrong = node.kind === 'constant' ? nameFault(node.value) : null;
    return wrong === null ? [] : [fault(wrong)];
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    return error.faults.map(({ message }) => fault(message));
  }
}

/** @throws WeftError `invalid_expression` */
export function assertQueueNames(settings: NamingSettings): void {
  const errors = queueNameFaults(settings);
  if (errors[0]) throw new WeftError('invalid_expression', `${errors[0].path}: ${errors[0].message}.`, { errors });
}

/**
 * Whether a `settings.lane` may give this lane for some args: each expression in it may have any value. False for a text that this
 * version of Weft cannot read.
 */
export function mayComputeLane(setting: string | null | undefined, lane: string): boolean {
  if (setting == null || faultsOf('lane', { lane: setting }).length > 0) return false;
  const { node } = compile(setting);
  if (node.kind === 'constant') return String(node.value) === lane;
  const parts = node.kind === 'text' ? node.parts : [node];
  const isFixed = (part: unknown): part is string => typeof part === 'string';
  const [first, last] = [parts[0], parts.at(-1)];
  const [start, end] = [isFixed(first) ? first : '', isFixed(last) ? last : ''];
  if (lane.length < start.length + end.length || !lane.startsWith(start) || !lane.endsWith(end)) return false;
  let rest = lane.slice(start.length, lane.length - end.length);
  for (const fixed of parts.slice(1, -1).filter(isFixed)) {
    const at = rest.indexOf(fixed);
    if (at === -1) return false;
    rest = rest.slice(at + fixed.length);
  }
  return true;
}

type NamingFlow = FlowOfRun & { readonly settings: NamingSettings };

const COMPILED: Readonly<Record<Name, WeakMap<NamingFlow, CompiledValue>>> = {
  lane: new WeakMap(),
  limitKey: new WeakMap(),
};

/**
 * The lane of a run with these args, as the flow says; null: the flow has none. A promise only when an expression is more than a
 * path.
 *
 * @throws WeftError `invalid_lane`; `invalid_expression` of a text that this version of Weft cannot read
 */
export function laneOf(
  flow: NamingFlow,
  args: Readonly<Record<string, unknown>>,
  deps: ComputingDeps,
): string | null | Promise<string | null> {
  return nameOf('lane', flow, args, deps);
}

/**
 * The key of the concurrency limit for these args, empty without one; null: the flow has no limit. A promise as `laneOf`.
 *
 * @throws WeftError `invalid_limit_key`; `invalid_expression` of a text that this version of Weft cannot read
 */
export function keyOfLimit(
  flow: NamingFlow,
  args: Readonly<Record<string, unknown>>,
  deps: ComputingDeps,
): string | null | Promise<string | null> {
  if ((flow.settings.concurrency ?? null) === null) return null;
  return limitKeyOf(flow.settings.concurrency ?? null) === null ? '' : nameOf('limitKey', flow, args, deps);
}

function nameOf(
  name: Name,
  flow: NamingFlow,
  args: Readonly<Record<string, unknown>>,
  deps: ComputingDeps,
): string | null | Promise<string | null> {
  const text = NAMES[name].of(flow.settings);
  if (text == null) return null;
  let compiled = COMPILED[name].get(flow);
  if (!compiled) {
    assertQueueNames(flow.settings);
    COMPILED[name].set(flow, (compiled = compile(text)));
  }
  const scope = scopeOfRun(flow, args);
  if (compiled.rich.length === 0) return textOf(name, compiled, scope);
  return computed(name, compiled, scope, companyOf(flow), deps);
}

async function computed(
  name: Name,
  compiled: CompiledValue,
  scope: ExpressionScope,
  companyId: string,
  deps: ComputingDeps,
): Promise<string> {
  try {
    return textOf(name, compiled, await withComputed(compiled, scope, companyId, deps));
  } catch (cause) {
    throw cause instanceof SandboxFailure ? refusal(name, cause.message, cause) : cause;
  }
}

/** @throws WeftError `invalid_lane`, `invalid_limit_key` */
function textOf(name: Name, { node, ...compiled }: CompiledValue, scope: ExpressionScope): string {
  if (node.kind === 'constant') return String(node.value);
  const parts = node.kind === 'text' ? node.parts : expressionsIn(node);
  const valueOf = (part: (typeof parts)[number]): unknown => {
    if (typeof part === 'string') return part;
    try {
      return evaluate({ ...compiled, node: { kind: 'expression', expression: part } }, scope, { onMissing: 'fail' });
    } catch (cause) {
      throw cause instanceof EvaluationError ? refusal(name, cause.message, cause) : cause;
    }
  };
  const text = parts.map((part) => partOf(name, valueOf(part))).join('');
  const fault = NAMES[name].fault(text);
  if (fault !== null) throw refusal(name, `${fault}; it has ${text.length}.`);
  return text;
}

/** A name that lacks a part would be one that others share. */
function partOf(name: Name, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  const what = value === '' ? 'the empty text' : value === null ? 'null' : 'not a text or a number';
  throw refusal(name, `a value in it is ${what}.`);
}

function refusal(name: Name, why: string, cause?: unknown): WeftError {
  const { path, code } = NAMES[name];
  const message = `The flow's ${path} gives no ${name === 'lane' ? 'lane' : 'key'} for these args: ${why}`;
  return new WeftError(code, message, {
    errors: [{ path: 'args', code, message: why }],
    ...(cause !== undefined && { cause }),
  });
}
