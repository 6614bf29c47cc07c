import { writeJsonForPrograms } from '@weft/kernel';
import { variablesOf, type CompiledValue, type ExpressionScope } from '@weft/expressions';
import { EXPRESSIONS_TIMEOUT_MS, type Sandbox } from '@weft/sandbox';

/** What the evaluation of expressions that are more than a path needs, outside of a play. */
export interface ComputingDeps {
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** Epoch ms, the value of `$now()`. */
  readonly now: () => number;
}

/**
 * The scope with the values of those expressions that are more than a path.
 *
 * @param maxChars of their values as JSON, together; default: as many as the sandbox gives
 * @throws SandboxFailure
 */
export async function withComputed(
  { rich }: Pick<CompiledValue, 'rich'>,
  scope: ExpressionScope,
  companyId: string,
  { sandbox, now }: ComputingDeps,
  maxChars?: number,
): Promise<ExpressionScope> {
  if (rich.length === 0) return scope;
  const variables = writeJsonForPrograms(variablesOf(rich, scope));
  const texts = rich.map(({ jsonata }) => jsonata);
  const task = { kind: 'expressions', texts, variables, input: null, nowMs: now(), seed: variables } as const;
  const call = { companyId, timeoutMs: EXPRESSIONS_TIMEOUT_MS, signal: NEVER, maxChars };
  const values = JSON.parse(await sandbox.run(task, call)) as readonly (readonly unknown[])[];
  return { ...scope, computed: new Map(rich.map((expression, i) => [expression, values[i]?.[0]])) };
}

const NEVER = new AbortController().signal;
