/** The sandbox for one call of a layer. */
import { chainOf } from '@weft/engine';
import {
  parseProgram,
  REPEAT_VARIABLES,
  variablesOf,
  type CompiledValue,
  type RichExpression,
  type ExpressionScope,
} from '@weft/expressions';
import {
  EXPRESSIONS_TIMEOUT_MS,
  MAX_INPUT_CHARS,
  SandboxFailure,
  type Sandbox,
  type SandboxTask,
  type LazyTask,
} from '@weft/sandbox';
import { writeJsonForPrograms } from '@weft/kernel';
import { LayerFailure, type LayerFiles, type LayerSandbox } from '../layer-module.js';
import { MAX_FILES_READ, textsOfFiles } from './files-in-expressions.js';
import type { LayerCall } from './layer-call.js';

export interface SandboxUse {
  readonly sandbox: Pick<Sandbox, 'run'>;
  readonly play: Pick<LayerCall['play'], '_id' | 'company_id' | 'createdAt' | 'chain'>;
  readonly signal: AbortSignal;
  /** The same for each repetition of the call, and different for every other call. */
  readonly seed: string;
  /** Null: expressions read no files here. */
  readonly files: Pick<LayerFiles, 'open'> | null;
}

/**
 * The scope with the values of the value's richer expressions. A promise only when there are any: most values have
 * none.
 *
 * @throws LayerFailure `expression_failed`, `sandbox_limit`, `cancelled`
 */
export function computed(
  compiled: CompiledValue,
  scope: ExpressionScope,
  use: SandboxUse,
): ExpressionScope | Promise<ExpressionScope> {
  const { rich } = compiled;
  return rich.length === 0 ? scope : compute(rich, scope, use);
}

async function compute(
  rich: readonly RichExpression[],
  scope: ExpressionScope,
  use: SandboxUse,
): Promise<ExpressionScope> {
  const values = await evaluateAll(rich, scope, null, use);
  return { ...scope, computed: new Map(rich.map((expression, i) => [expression, values[i]?.[0]])) };
}

/** The sandbox as the layer's module sees it; `scope` is what its program can read. */
export function callSandbox(use: SandboxUse, scope: ExpressionScope): LayerSandbox {
  return {
    async transform(expression, input) {
      const program = parseProgram(expression, 'expression', undefined, scope.repeat ? REPEAT_VARIABLES : undefined);
      const [found] = await evaluateAll([program], scope, input === undefined ? null : () => asInput(input), use);
      return found?.[0] ?? null;
    },
    async code(source, input, timeoutMs) {
      const write = () => ({ kind: 'code', source, input: asInput(input), ...fixed(use) }) as const;
      const task = { kind: 'code', write } as const;
      return (await run(task, timeoutMs, use, 'code_failed')) as { value: unknown; logs: readonly string[] };
    },
    async extract(order) {
      if (order.source.length > MAX_INPUT_CHARS) throw tooLarge('the source', order.source.length);
      const task = { kind: 'extraction', ...order } as const;
      return (await run(task, EXTRACTION_TIMEOUT_MS, use, 'extraction_failed')) as readonly unknown[];
    },
  };
}

const EXTRACTION_TIMEOUT_MS = 5_000;

/** For each expression `[value]`, or `[]` when it has no value. */
async function evaluateAll(
  expressions: readonly RichExpression[],
  scope: ExpressionScope,
  input: (() => string) | null,
  use: SandboxUse,
): Promise<readonly (readonly unknown[])[]> {
  const variables = variablesOf(expressions, scope);
  const texts = expressions.map(({ jsonata }) => jsonata);
  const kind = 'expressions';
  const refs: string[] = [];
  const write = async (): Promise<SandboxTask> => {
    const files = use.files ? await textsOfFiles(refs, use.files) : {};
    return { kind, texts, variables: asVariables(variables), input: input?.() ?? null, files, ...fixed(use) };
  };
  const task = { kind, write } as const;
  try {
    // which files it reads is known when it has been computed once
    for (;;) {
      const found = await run(task, EXPRESSIONS_TIMEOUT_MS, use, 'expression_failed').catch(filesMissed);
      if (!(found instanceof FilesMissed)) return found as unknown[][];
      refs.push(...found.refs);
      if (!use.files) throw found.failure;
      if (refs.length > MAX_FILES_READ)
        throw new LayerFailure('sandbox_limit', `$text: it reads more than ${MAX_FILES_READ} files.`);
    }
  } catch (error) {
    if (!(error instanceof LayerFailure && error.cause instanceof SandboxFailure)) throw error;
    const { at } = error.cause;
    const expression = at ? expressions[at.text] : expressions.length === 1 ? expressions[0] : undefined;
    if (!expression) throw error;
    throw new LayerFailure(error.code, `${nameOf(expression)}: ${error.message}`, undefined, { cause: error });
  }
}

class FilesMissed {
  constructor(
    readonly refs: readonly string[],
    readonly failure: LayerFailure,
  ) {}
}

function filesMissed(error: unknown): FilesMissed {
  const cause = error instanceof LayerFailure ? error.cause : undefined;
  if (!(error instanceof LayerFailure && cause instanceof SandboxFailure && cause.files)) throw error;
  return new FilesMissed(cause.files, error);
}

async function run(task: SandboxTask | LazyTask, timeoutMs: number, use: SandboxUse, code: string): Promise<unknown> {
  const { sandbox, play, signal } = use;
  try {
    return JSON.parse(await sandbox.run(task, { companyId: play.company_id, timeoutMs, signal })) as unknown;
  } catch (cause) {
    if (!(cause instanceof SandboxFailure)) throw cause;
    throw new LayerFailure(cause.code === 'failed' ? code : cause.code, cause.message, undefined, { cause });
  }
}

/**
 * The clock of a play is fixed at its acceptance, that of a retry at the acceptance of the first play of its chain: a
 * repeated computation for the same idempotency key gives the same result.
 */
function fixed({ play, seed }: SandboxUse): { readonly nowMs: number; readonly seed: string } {
  return { nowMs: chainOf(play).at.getTime(), seed };
}

/** Written only when the task starts: a loop may have a hundred waiting items with megabytes of input each. */
function asInput(value: unknown): string {
  const json = writeJsonForPrograms(value ?? null);
  if (json.length > MAX_INPUT_CHARS) throw tooLarge('the input', json.length);
  return json;
}

function asVariables(variables: Readonly<Record<string, unknown>>): string {
  const json = writeJsonForPrograms(variables);
  if (json.length <= MAX_INPUT_CHARS) return json;
  const previous = Object.entries(variables.prev as object).map(([ref, value]) => [`$prev.${ref}`, value] as const);
  const others = Object.entries(variables).flatMap(([name, value]) =>
    name === 'prev' ? [] : [[`$${name}`, value] as const],
  );
  const sizes = [...previous, ...others].map(([name, value]) => ({ name, chars: JSON.stringify(value).length }));
  const largest = sizes.reduce((one, other) => (other.chars > one.chars ? other : one));
  throw tooLarge(`what it reads of ${largest.name}`, largest.chars);
}

function tooLarge(what: string, chars: number): LayerFailure {
  return new LayerFailure(
    'sandbox_limit',
    `${what} has ${chars} characters of JSON; ${MAX_INPUT_CHARS} can be computed with.`,
  );
}

const MAX_NAME_CHARS = 80;

function nameOf({ source, at }: RichExpression): string {
  const short = source.length > MAX_NAME_CHARS ? `${source.slice(0, MAX_NAME_CHARS)}…` : source;
  return at === '' ? short : `${short} in ${at}`;
}
