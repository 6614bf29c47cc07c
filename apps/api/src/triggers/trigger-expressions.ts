import {
  compile,
  compileCondition,
  compileWhole,
  evaluate,
  EvaluationError,
  ExpressionSyntaxError,
  isTruthy,
  RichBudget,
  TRIGGER_VARIABLES,
  type CompiledValue,
  type ExpressionScope,
} from '@weft/expressions';
import { jsonFault, WeftError, type ErrorCode, type FieldError } from '@weft/kernel';
import type { DedupeRule, TriggerFields } from '@weft/records';
import { boundedUnits, withComputed, type ComputingDeps } from '@weft/runs';
import { SandboxFailure } from '@weft/sandbox';
import { HIDDEN, type Hook } from './hooks/read-hook.js';
import { presetOf } from './verifying/signature-scheme.js';

type CompiledRule = { readonly header: string } | { readonly value: CompiledValue };

/** The expressions of a trigger, parsed once. */
export interface CompiledTrigger {
  readonly when: CompiledValue | null;
  readonly args: CompiledValue | null;
  /** In order: the first that finds an id gives it. */
  readonly dedupe: readonly CompiledRule[];
}

/** UTF-16 units of the args of a run as JSON: a body of a megabyte with its headers, also where JSON escapes much of it. */
const MAX_ARGS_UNITS = 2 * 1024 * 1024;
/** Of an id of a delivery; longer ones are not ids. */
const MAX_ID = 1_000;

/** @throws WeftError `invalid_expression` naming all faults */
export function compileTrigger(fields: Pick<TriggerFields, 'verifier' | 'when' | 'args' | 'dedupe'>): CompiledTrigger {
  const budget = new RichBudget();
  const errors: FieldError[] = [];
  const parse = <T>(at: string, parsed: () => T): T | null => {
    try {
      return parsed();
    } catch (error) {
      if (!(error instanceof ExpressionSyntaxError)) throw error;
      for (const { path, message } of error.faults) {
        errors.push({ path: path === '' ? at : `${at}.${path}`, code: 'invalid_expression', message });
      }
      return null;
    }
  };
  const { when, args } = fields;
  const compiled = {
    when: when === null ? null : parse('when', () => compileCondition(when, budget, TRIGGER_VARIABLES)),
    args: args === null ? null : parse('args', () => compile(args, [], budget, TRIGGER_VARIABLES)),
    dedupe: rulesOf(fields).flatMap((rule): readonly CompiledRule[] => {
      const { header, expression } = rule;
      if (header !== undefined) return [{ header }];
      const value = parse('dedupe.expression', () => compileWhole(expression ?? '', budget, TRIGGER_VARIABLES));
      return value ? [{ value }] : [];
    }),
  };
  if (errors[0]) throw new WeftError('invalid_expression', `${errors[0].path}: ${errors[0].message}.`, { errors });
  return compiled;
}

function rulesOf({ dedupe, verifier }: Pick<TriggerFields, 'verifier' | 'dedupe'>): readonly DedupeRule[] {
  if (dedupe) return [dedupe];
  const { id_header } = verifier;
  return typeof id_header === 'string' ? [{ header: id_header }] : (presetOf(verifier.type)?.dedupe ?? []);
}

/** The expressions of one trigger, evaluated for one delivery. */
export class TriggerReading {
  private readonly scope: ExpressionScope;

  constructor(
    private readonly compiled: CompiledTrigger,
    private readonly hook: Hook,
    private readonly of: { readonly companyId: string; readonly flow: ExpressionScope['flow'] },
    private readonly deps: ComputingDeps,
  ) {
    const nothing = { layers: new Map<string, unknown>(), args: null, blueprint: null };
    this.scope = { ...nothing, play: { id: '' }, company: { name: '' }, flow: of.flow, hook };
  }

  /** The sender's id of the delivery; null when it gives none. @throws WeftError `condition_failed` */
  async dedupeId(): Promise<string | null> {
    for (const rule of this.compiled.dedupe) {
      const found =
        'header' in rule
          ? this.hook.headers[rule.header]
          : await this.valueOf(rule.value, 'dedupe', 'condition_failed');
      const isText = typeof found === 'string' || typeof found === 'number' || typeof found === 'bigint';
      if (isText && found !== '' && !String(found).includes(HIDDEN) && String(found).length <= MAX_ID)
        return String(found);
    }
    return null;
  }

  /** @throws WeftError `condition_failed` */
  async holds(): Promise<boolean> {
    const { when } = this.compiled;
    return when === null || isTruthy(await this.valueOf(when, 'when', 'condition_failed'));
  }

  /** @throws WeftError `invalid_args`, `body_too_large` */
  async args(): Promise<Readonly<Record<string, unknown>>> {
    const { args } = this.compiled;
    const { body, headers, query } = this.hook;
    const given = args === null ? { body, headers, query } : await this.valueOf(args, 'args', 'invalid_args');
    if (boundedUnits(given, MAX_ARGS_UNITS) > MAX_ARGS_UNITS) {
      throw new WeftError(
        'body_too_large',
        `The args of the run may have ${MAX_ARGS_UNITS} characters as JSON at most.`,
      );
    }
    const fault = args === null ? null : jsonFault(given, 'args'); // the parts of the default were judged when they were read
    if (fault) throw new WeftError('invalid_args', `${fault.path} ${fault.message}.`, { errors: [fault] });
    return given as Readonly<Record<string, unknown>>;
  }

  /** Names of args that differ with each attempt to deliver the same: headers have times, signatures and counts. */
  ownArgs(): readonly string[] {
    return this.compiled.args === null ? ['headers'] : [];
  }

  private async valueOf(value: CompiledValue, what: string, code: ErrorCode): Promise<unknown> {
    try {
      const scope = await withComputed(value, this.scope, this.of.companyId, this.deps, MAX_ARGS_UNITS);
      return evaluate(value, scope, { onMissing: 'null', maxJoinedChars: MAX_ARGS_UNITS });
    } catch (cause) {
      if (!(cause instanceof SandboxFailure || cause instanceof EvaluationError)) throw cause;
      throw new WeftError(code, `${what} of the trigger cannot be evaluated for this delivery: ${cause.message}`, {
        cause,
      });
    }
  }
}
