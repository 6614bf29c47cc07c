import {
  compile,
  evaluate,
  EvaluationError,
  ExpressionSyntaxError,
  type CompiledValue,
  type ExpressionScope,
} from '@weft/expressions';
import type { FlowSettings } from '@weft/shapes';
import { laneFault } from '@weft/engine';
import { WeftError, type FieldError } from '@weft/kernel';
import { SandboxFailure } from '@weft/sandbox';
import { companyOf, expressionsIn, scopeOfRun, unreadableIn, type FlowOfRun } from './acceptance-expressions.js';
import { withComputed, type ComputingDeps } from './compute-expressions.js';

/** The faults of a flow's `settings.lane`: a text, in which expressions may read what is known before any layer. */
export function laneFaults(lane: string | null | undefined): FieldError[] {
  if (lane == null) return [];
  const fault = (message: string): FieldError => ({ path: 'settings.lane', code: 'invalid_expression', message });
  try {
    const { node } = compile(lane);
    const [read] = expressionsIn(node).flatMap((one) => unreadableIn(one) ?? []);
    if (read !== undefined)
      return [
        fault(`the lane is found before any layer and cannot read ${read}: it reads $prev.args, $blueprint and $flow`),
      ];
    const name = node.kind === 'constant' ? laneFault(node.value) : null;
    return name === null ? [] : [fault(name)];
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    return error.faults.map(({ message }) => fault(message));
  }
}

/** @throws WeftError `invalid_expression` */
export function assertLaneExpression(lane: string | null | undefined): void {
  const errors = laneFaults(lane);
  if (errors[0]) throw new WeftError('invalid_expression', `settings.lane: ${errors[0].message}.`, { errors });
}

/**
 * Whether a `settings.lane` may give this lane for some args: each expression in it may have any value. False for a text that this
 * version of Weft cannot read.
 */
export function mayComputeLane(setting: string | null | undefined, lane: string): boolean {
  if (setting == null || laneFaults(setting).length > 0) return false;
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

type FlowWithLane = FlowOfRun & { readonly settings: Pick<FlowSettings, 'lane'> };

const COMPILED = new WeakMap<FlowWithLane, CompiledValue>();

/**
 * The lane of a run with these args, as the flow says; null: the flow has none. A promise only when an expression is more than a
 * path.
 *
 * @throws WeftError `invalid_lane`; `invalid_expression` of a text that this version of Weft cannot read
 */
export function laneOf(
  flow: FlowWithLane,
  args: Readonly<Record<string, unknown>>,
  deps: ComputingDeps,
): string | null | Promise<string | null> {
  const { lane } = flow.settings;
  if (lane == null) return null;
  let compiled = COMPILED.get(flow);
  if (!compiled) {
    assertLaneExpression(lane);
    COMPILED.set(flow, (compiled = compile(lane)));
  }
  const scope = scopeOfRun(flow, args);
  if (compiled.rich.length === 0) return nameOf(compiled, scope);
  return computedLane(compiled, scope, companyOf(flow), deps);
}

async function computedLane(
  compiled: CompiledValue,
  scope: ExpressionScope,
  companyId: string,
  deps: ComputingDeps,
): Promise<string> {
  try {
    return nameOf(compiled, await withComputed(compiled, scope, companyId, deps));
  } catch (cause) {
    throw cause instanceof SandboxFailure ? refusal(cause.message, cause) : cause;
  }
}

/** @throws WeftError `invalid_lane` */
function nameOf({ node, ...compiled }: CompiledValue, scope: ExpressionScope): string {
  if (node.kind === 'constant') return String(node.value);
  const parts = node.kind === 'text' ? node.parts : expressionsIn(node);
  const valueOf = (part: (typeof parts)[number]): unknown => {
    if (typeof part === 'string') return part;
    try {
      return evaluate({ ...compiled, node: { kind: 'expression', expression: part } }, scope, { onMissing: 'fail' });
    } catch (cause) {
      throw cause instanceof EvaluationError ? refusal(cause.message, cause) : cause;
    }
  };
  const name = parts.map((part) => textOf(valueOf(part))).join('');
  const fault = laneFault(name);
  if (fault !== null) throw refusal(`${fault}; it has ${name.length}.`);
  return name;
}

/** A lane that lacks a part would be one that others share. */
function textOf(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  const what = value === '' ? 'the empty text' : value === null ? 'null' : 'not a text or a number';
  throw refusal(`a value in it is ${what}.`);
}

function refusal(why: string, cause?: unknown): WeftError {
  const message = `The flow's settings.lane gives no lane for these args: ${why}`;
  return new WeftError('invalid_lane', message, {
    errors: [{ path: 'args', code: 'invalid_lane', message: why }],
    ...(cause !== undefined && { cause }),
  });
}
