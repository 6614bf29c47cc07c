import {
  compileCondition,
  evaluate,
  ExpressionSyntaxError,
  isTruthy,
  variablesOf,
  type CompiledValue,
  type RichExpression,
  type ExpressionScope,
} from '@weft/expressions';
import { WeftError, type FieldError } from '@weft/kernel';
import type { FlowDocument } from '@weft/persistence';
import { EXPRESSIONS_TIMEOUT_MS, SandboxFailure, type Sandbox } from '@weft/sandbox';

/**
 * The faults of a flow's `when`. It is evaluated when a run is accepted, before any layer: it can read the run's args, blueprint
 * variables and the flow's name, and nothing else.
 */
export function conditionFaults(when: string | null): FieldError[] {
  if (when === null) return [];
  const fault = (message: string): FieldError => ({ path: 'when', code: 'invalid_expression', message });
  try {
    const { node } = compileCondition(when);
    if (node.kind !== 'expression' || node.expression.kind === 'literal') return [];
    const { expression } = node;
    const reads = expression.kind === 'rich' ? expression.reads : [expression];
    const unreadable = reads.find(({ root }) => !READABLE_ROOTS.includes(root));
    if (!unreadable) return [];
    const what = unreadable.root === 'layer' ? `.${unreadable.ref}` : `$${unreadable.root}`;
    const read = expression.kind === 'path' ? expression.source : what;
    return [
      fault(`when is judged before any layer and cannot read ${read}: it reads $prev.args, $blueprint and $flow`),
    ];
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    return error.faults.map(({ message }) => fault(message));
  }
}

const READABLE_ROOTS: readonly string[] = ['args', 'blueprint', 'flow'];

/** @throws WeftError `invalid_expression` */
export function assertCondition(when: string | null): void {
  const errors = conditionFaults(when);
  if (errors[0]) throw new WeftError('invalid_expression', `${errors[0].message}.`, { errors });
}

type Conditional = Pick<FlowDocument, 'when' | 'name' | 'blueprintVars'> & (CompanyOf | { readonly companyId: string });
type CompanyOf = Pick<FlowDocument, 'company_id'>;

/** What the evaluation of conditions that are more than a path needs. */
export interface ConditionDeps {
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** Epoch ms, the value of `$now()`. */
  readonly now: () => number;
}

/** Compiled conditions by flow object: the flows of the run path stay in its cache, so that each is compiled once. */
const COMPILED = new WeakMap<Conditional, CompiledValue>();

/**
 * Whether a run with these args takes place; otherwise its play ends in SKIP at once. A missing value is null, and makes the
 * condition false. A promise only when the condition is more than a path.
 *
 * @throws WeftError `invalid_expression` of a condition that this version of Weft cannot read, `condition_failed`
 */
export function conditionHolds(
  flow: Conditional,
  args: Readonly<Record<string, unknown>>,
  deps: ConditionDeps,
): boolean | Promise<boolean> {
  if (flow.when === null) return true;
  let compiled = COMPILED.get(flow);
  if (!compiled) {
    assertCondition(flow.when);
    COMPILED.set(flow, (compiled = compileCondition(flow.when)));
  }
  const unread = { layers: new Map<string, unknown>(), play: { id: '' }, company: { name: '' } };
  const scope: ExpressionScope = { ...unread, args, blueprint: flow.blueprintVars ?? {}, flow: { name: flow.name } };
  const [rich] = compiled.rich;
  if (!rich) return isTruthy(evaluate(compiled, scope, { onMissing: 'null' }));
  const companyId = 'companyId' in flow ? flow.companyId : flow.company_id;
  return computedCondition(rich, scope, companyId, deps).then(isTruthy);
}

/** @throws WeftError `condition_failed` */
async function computedCondition(
  rich: RichExpression,
  scope: ExpressionScope,
  companyId: string,
  { sandbox, now }: ConditionDeps,
): Promise<unknown> {
  const variables = JSON.stringify(variablesOf([rich], scope));
  const fixed = { nowMs: now(), seed: variables } as const;
  const task = { kind: 'expressions', texts: [rich.jsonata], variables, input: null, ...fixed } as const;
  try {
    const json = await sandbox.run(task, { companyId, timeoutMs: EXPRESSIONS_TIMEOUT_MS, signal: NEVER });
    return (JSON.parse(json) as readonly (readonly unknown[])[])[0]?.[0];
  } catch (cause) {
    if (!(cause instanceof SandboxFailure)) throw cause;
    throw new WeftError('condition_failed', `The flow's condition cannot be judged for these args: ${cause.message}`, {
      cause,
    });
  }
}

const NEVER = new AbortController().signal;
