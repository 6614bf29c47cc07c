import {
  compileCondition,
  evaluate,
  ExpressionSyntaxError,
  isTruthy,
  variablesOf,
  type CompiledValue,
  type RichExpression,
  type Scope,
} from '@weft/expressions';
import { WeftError, type FieldError } from '@weft/kernel';
import type { FlowDocument } from '@weft/persistence';
import { EXPRESSIONS_TIMEOUT_MS, SandboxFailure, type Sandbox } from '@weft/sandbox';

/**
 * What is wrong with a flow's `when`. It is judged when a run is accepted, before any layer and on the run path: it reads the
 * run's args, blueprint variables and the flow's name, and nothing else.
 */
export function conditionFaults(when: string | null): FieldError[] {
  if (when === null) return [];
  const fault = (message: string): FieldError => ({ path: 'when', code: 'invalid_expression', message });
  try {
    const { node } = compileCondition(when);
    if (node.kind !== 'expression' || node.expression.kind === 'literal') return [];
    const { expression } = node;
    const reads = expression.kind === 'rich' ? expression.reads : [expression];
    const unreadable = reads.find(({ root }) => !READABLE.includes(root));
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

const READABLE: readonly string[] = ['args', 'blueprint', 'flow'];

/** @throws WeftError `invalid_expression` */
export function assertCondition(when: string | null): void {
  const errors = conditionFaults(when);
  if (errors[0]) throw new WeftError('invalid_expression', `${errors[0].message}.`, { errors });
}

type Conditional = Pick<FlowDocument, 'when' | 'name' | 'blueprintVars'> & (CompanyOf | { readonly companyId: string });
type CompanyOf = Pick<FlowDocument, 'company_id'>;

/** What conditions that are more than a path are judged with. */
export interface ConditionMeans {
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** Epoch ms: what `$now()` says. */
  readonly now: () => number;
}

/** By flow as it was read: those of the run path lie in its cache, and are asked for each run. */
const COMPILED = new WeakMap<Conditional, CompiledValue>();

/**
 * Whether a run with these args takes place; else it is SKIP at once. What the condition reads and is not there, is null: it
 * says no. A promise only where the condition is more than a path.
 *
 * @throws WeftError `invalid_expression` of a condition that this version of Weft cannot read, `condition_failed`
 */
export function conditionHolds(
  flow: Conditional,
  args: Readonly<Record<string, unknown>>,
  means: ConditionMeans,
): boolean | Promise<boolean> {
  if (flow.when === null) return true;
  let compiled = COMPILED.get(flow);
  if (!compiled) {
    assertCondition(flow.when);
    COMPILED.set(flow, (compiled = compileCondition(flow.when)));
  }
  const unread = { layers: new Map<string, unknown>(), play: { id: '' }, company: { name: '' } };
  const scope: Scope = { ...unread, args, blueprint: flow.blueprintVars ?? {}, flow: { name: flow.name } };
  const [rich] = compiled.rich;
  if (!rich) return isTruthy(evaluate(compiled, scope, { onMissing: 'null' }));
  const companyId = 'companyId' in flow ? flow.companyId : flow.company_id;
  return computedCondition(rich, scope, companyId, means).then(isTruthy);
}

/** @throws WeftError `condition_failed` */
async function computedCondition(
  rich: RichExpression,
  scope: Scope,
  companyId: string,
  { sandbox, now }: ConditionMeans,
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
