import {
  compile,
  compileCondition,
  compileWhole,
  evaluate,
  EvaluationError,
  ExpressionSyntaxError,
  isTruthy,
  RichBudget,
  SOURCE_VARIABLES,
  TRIGGER_VARIABLES,
  type CompiledValue,
  type ExpressionScope,
} from '@weft/expressions';
import { jsonFault, WeftError, type ErrorCode, type FieldError } from '@weft/kernel';
import type { DedupeRule, TriggerFields } from '@weft/records';
import { SandboxFailure } from '@weft/sandbox';
import { withComputed, type ComputingDeps } from '../compute-expressions.js';
import { boundedUnits } from '../large-args.js';

/** Instead of a credential. */
export const HIDDEN = '[secret]';
export type Texts = Readonly<Record<string, string | readonly string[]>>;

type CompiledRule = { readonly header: string } | { readonly value: CompiledValue };

/** The expressions of a trigger, parsed once. */
export interface CompiledTrigger {
  readonly when: CompiledValue | null;
  readonly args: CompiledValue | null;
  /** Of a check of the address. */
  readonly challenge: CompiledValue | null;
  readonly respond: CompiledValue | null;
  /** `name` and `key` of the event that is sent. */
  readonly event: CompiledValue | null;
  /** In order: the first that finds an id gives it. */
  readonly dedupe: readonly CompiledRule[];
}

/** What the answer may read of the play for whose end it waits. */
const PLAY_FIELDS: readonly string[] = ['out', 'error', 'state'];
/** UTF-16 units of the args of a run as JSON: a body of a megabyte with its headers, also where JSON escapes much of it. */
const MAX_ARGS_UNITS = 2 * 1024 * 1024;
/** Of an id of a delivery; longer ones are not ids. */
const MAX_ID = 1_000;

/**
 * @param rules where the id of what arrives is looked for, the first place first
 * @throws WeftError `invalid_expression` naming all faults
 */
export function compileTrigger(
  fields: Pick<TriggerFields, 'type' | 'when' | 'args' | 'challenge' | 'respond' | 'action' | 'wait'>,
  rules: readonly DedupeRule[],
): CompiledTrigger {
  const variables = fields.type === undefined ? TRIGGER_VARIABLES : SOURCE_VARIABLES;
  /** `.out` is short for `$prev.out`. */
  const answerVariables = [...variables, 'prev'];
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
  const { when, args, challenge, respond, action } = fields;
  const compiled = {
    when: when === null ? null : parse('when', () => compileCondition(when, budget, variables)),
    args: args === null ? null : parse('args', () => compile(args, [], budget, variables)),
    challenge: challenge?.when
      ? parse('challenge.when', () => compileCondition(challenge.when ?? '', budget, variables))
      : null,
    respond: respond ? parse('respond', () => compile(respond, [], budget, answerVariables)) : null,
    event: action
      ? parse('action', () => compile({ name: action.name, key: action.key ?? null }, [], budget, variables))
      : null,
    dedupe: rules.flatMap((rule): readonly CompiledRule[] => {
      const { header, expression } = rule;
      if (header !== undefined) return [{ header }];
      const value = parse('dedupe.expression', () => compileWhole(expression ?? '', budget, variables));
      return value ? [{ value }] : [];
    }),
  };
  const answers = fields.wait > 0 ? PLAY_FIELDS : [];
  for (const { path, ref } of compiled.respond?.refs ?? []) {
    if (answers.includes(ref)) continue;
    const message =
      answers.length > 0
        ? `there is no .${ref}; there are .out, .error and .state of the play`
        : 'the play has not ended when the sender is answered: set wait, or read $hook alone';
    errors.push({ path: path === '' ? 'respond' : `respond.${path}`, code: 'invalid_expression', message });
  }
  if (errors[0]) throw new WeftError('invalid_expression', `${errors[0].path}: ${errors[0].message}.`, { errors });
  return compiled;
}

const ONE_LINE = /^\P{Cc}+$/u;

/** What arrived, as the expressions of its trigger read it. */
export interface Arrived {
  readonly variable: 'hook' | 'message';
  readonly value: { readonly headers: Texts };
  /** Where the trigger says nothing of args. */
  readonly defaultArgs: Readonly<Record<string, unknown>>;
}

/** A message that was read: without args of the trigger's own, the run gets all of it. */
export function arrivedMessage(message: Arrived['value']): Arrived {
  return { variable: 'message', value: message, defaultArgs: { ...message } };
}

/** The expressions of one trigger, evaluated for one delivery. */
export class TriggerReading {
  private readonly scope: ExpressionScope;

  constructor(
    private readonly compiled: CompiledTrigger,
    private readonly trigger: Pick<TriggerFields, 'action'>,
    private readonly arrived: Arrived,
    private readonly of: { readonly companyId: string; readonly flow: ExpressionScope['flow'] },
    private readonly deps: ComputingDeps,
  ) {
    const nothing = { layers: new Map<string, unknown>(), args: null, blueprint: null };
    this.scope = {
      ...nothing,
      play: { id: '' },
      company: { name: '' },
      flow: of.flow,
      [arrived.variable]: arrived.value,
    };
  }

  /** The sender's id of the delivery; null when it gives none. @throws WeftError `condition_failed` */
  async dedupeId(): Promise<string | null> {
    for (const rule of this.compiled.dedupe) {
      const found =
        'header' in rule
          ? this.arrived.value.headers[rule.header]
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
    const given = args === null ? this.arrived.defaultArgs : await this.valueOf(args, 'args', 'invalid_args');
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

  /** Whether the request is the check of the address that the trigger describes. @throws WeftError `condition_failed` */
  async isChallenge(): Promise<boolean> {
    const { challenge } = this.compiled;
    return challenge === null || isTruthy(await this.valueOf(challenge, 'challenge.when', 'condition_failed'));
  }

  /** The event that the delivery is. @throws WeftError `invalid_args` */
  async event(): Promise<{ readonly name: string; readonly key: string | null }> {
    const { event } = this.compiled;
    const given = (await this.valueOf(event as CompiledValue, 'action', 'invalid_args')) as Record<string, unknown>;
    const { name, key } = given;
    const of = (what: string, value: unknown, max: number): string => {
      const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
      if (typeof text === 'string' && text !== '' && text.length <= max && ONE_LINE.test(text)) return text;
      const path = `action.${what}`;
      const message = `must give a text of 1 to ${max} characters in one line for this delivery`;
      throw new WeftError('invalid_args', `${path} ${message}.`, { errors: [{ path, code: 'invalid', message }] });
    };
    const isKeyed = this.trigger.action?.key !== null && this.trigger.action?.key !== undefined;
    return { name: of('name', name, 200), key: isKeyed ? of('key', key, 255) : null };
  }

  /** What the sender is answered. Null: the trigger says nothing, or it cannot be evaluated. */
  async respond(play: Readonly<Record<'out' | 'error' | 'state', unknown>> | null): Promise<unknown> {
    const { respond } = this.compiled;
    if (respond === null) return null;
    const layers = new Map<string, unknown>(play ? Object.entries(play) : []);
    try {
      return await this.valueOf(respond, 'respond', 'condition_failed', { ...this.scope, layers });
    } catch (error) {
      if (error instanceof WeftError && error.status < 500) return null;
      throw error;
    }
  }

  /** Names of args that differ with each attempt to deliver the same: headers have times, signatures and counts. */
  ownArgs(): readonly string[] {
    return this.compiled.args === null && this.arrived.variable === 'hook' ? ['headers'] : [];
  }

  private async valueOf(value: CompiledValue, what: string, code: ErrorCode, of = this.scope): Promise<unknown> {
    try {
      const scope = await withComputed(value, of, this.of.companyId, this.deps, MAX_ARGS_UNITS);
      return evaluate(value, scope, { onMissing: 'null', maxJoinedChars: MAX_ARGS_UNITS });
    } catch (cause) {
      if (!(cause instanceof SandboxFailure || cause instanceof EvaluationError)) throw cause;
      throw new WeftError(code, `${what} of the trigger cannot be evaluated for this delivery: ${cause.message}`, {
        cause,
      });
    }
  }
}
