/** The expressions of a trigger that asks for a list again and again: where the list is, what its items are called, where to go on. */
import {
  compileWhole,
  evaluate,
  EvaluationError,
  ExpressionSyntaxError,
  RichBudget,
  type CompiledValue,
  type ExpressionScope,
} from '@weft/expressions';
import { jsonFault, WeftError, type FieldError } from '@weft/kernel';
import { SandboxFailure } from '@weft/sandbox';
import type { SourceGiven } from '@weft/shapes';
import { withComputed, type ComputingDeps } from '../compute-expressions.js';

export interface CompiledPoll {
  readonly items: CompiledValue;
  readonly id: CompiledValue;
  readonly cursor: CompiledValue | null;
}

/** `.out` is short for `$prev.out`. */
const VARIABLES: readonly string[] = ['prev', 'flow'];
const ITEM_VARIABLES: readonly string[] = [...VARIABLES, 'item', 'index'];
const OUT = 'out';
const MAX_ID = 1_000;
const MAX_UNITS = 8 * 1024 * 1024;
/** As JSON: it is stored with the trigger. */
const MAX_CURSOR = 4_096;

/** @throws WeftError `invalid_expression` naming all faults */
export function compilePoll(source: SourceGiven): CompiledPoll {
  const budget = new RichBudget();
  const errors: FieldError[] = [];
  const parse = (name: 'items' | 'id' | 'cursor', variables: readonly string[]): CompiledValue | null => {
    const path = `source.${name}`;
    const fault = (message: string) => errors.push({ path, code: 'invalid_expression', message });
    try {
      const compiled = compileWhole(source[name] ?? '', budget, variables);
      for (const { ref } of compiled.refs) if (ref !== OUT) fault(`there is no .${ref}; .out is what the call gave`);
      return compiled;
    } catch (error) {
      if (!(error instanceof ExpressionSyntaxError)) throw error;
      for (const { message } of error.faults) fault(message);
      return null;
    }
  };
  const items = parse('items', VARIABLES);
  const id = parse('id', ITEM_VARIABLES);
  const cursor = source.cursor === undefined ? null : parse('cursor', VARIABLES);
  if (items && id && !errors[0]) return { items, id, cursor };
  throw new WeftError('invalid_expression', `${errors[0]?.path}: ${errors[0]?.message}.`, { errors });
}

/** What one call gave, as the trigger reads it. */
export class PollReading {
  private readonly scope: ExpressionScope;

  constructor(
    private readonly compiled: CompiledPoll,
    out: unknown,
    private readonly of: { readonly companyId: string; readonly flow: ExpressionScope['flow'] },
    private readonly deps: ComputingDeps,
  ) {
    const nothing = { args: null, blueprint: null, play: { id: '' }, company: { name: '' } };
    this.scope = { ...nothing, flow: of.flow, layers: new Map([[OUT, out]]) };
  }

  /** @throws WeftError `condition_failed`, `invalid_args` */
  async items(): Promise<readonly unknown[]> {
    const list = await this.valueOf('items', this.compiled.items, this.scope);
    if (list === null || list === undefined) return [];
    if (Array.isArray(list)) return list as readonly unknown[];
    throw new WeftError(
      'invalid_args',
      'source.items gives no list: is the call answered as it was when it was written?',
    );
  }

  /** Of an item. @throws WeftError `condition_failed`, `invalid_args` */
  async idOf(item: unknown, index: number): Promise<string> {
    const id = await this.valueOf('id', this.compiled.id, { ...this.scope, item, index });
    const text = typeof id === 'number' || typeof id === 'bigint' ? String(id) : id;
    if (typeof text === 'string' && text !== '' && text.length <= MAX_ID) return text;
    const most = `a text of 1 to ${MAX_ID} characters, or a number`;
    throw new WeftError('invalid_args', `source.id gives no id for the item ${index}: it must be ${most}.`);
  }

  /** What the next call reads; null: what this one has read. @throws WeftError `condition_failed`, `invalid_args` */
  async cursor(): Promise<unknown> {
    const { cursor } = this.compiled;
    const value = cursor === null ? null : await this.valueOf('cursor', cursor, this.scope);
    if (value === null || value === undefined || value === '') return null;
    const fault = jsonFault(value, 'source.cursor');
    if (fault) throw new WeftError('invalid_args', `${fault.path} ${fault.message}.`);
    if (JSON.stringify(value).length <= MAX_CURSOR) return value;
    throw new WeftError('invalid_args', `source.cursor gives more than ${MAX_CURSOR} characters as JSON.`);
  }

  private async valueOf(name: string, value: CompiledValue, of: ExpressionScope): Promise<unknown> {
    try {
      const scope = await withComputed(value, of, this.of.companyId, this.deps, MAX_UNITS);
      return evaluate(value, scope, { onMissing: 'null', maxJoinedChars: MAX_UNITS });
    } catch (cause) {
      if (!(cause instanceof SandboxFailure || cause instanceof EvaluationError)) throw cause;
      const message = `source.${name} cannot be evaluated for what the call gave: ${cause.message}`;
      throw new WeftError('condition_failed', message, { cause });
    }
  }
}
