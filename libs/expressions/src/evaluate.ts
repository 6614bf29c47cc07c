import type { CompiledNode, CompiledValue } from './compile.js';
import { EvaluationTooLarge } from './errors.js';
import { MAX_JOINED_CHARS, type Expression, type RichExpression } from './expression.js';
import { isOfLayer, MISSING, resolve, start, unresolved, unresolvedRich, type ExpressionScope } from './resolve.js';

/** What a path without a value becomes: an error, null, or the empty text. */
export type OnMissing = 'fail' | 'null' | 'empty';

export interface EvaluateOptions {
  /** Default `fail`. A `??` in the expression takes precedence. */
  readonly onMissing?: OnMissing;
  /** UTF-16 units of text that may be joined; default: as many as an output may have. */
  readonly maxJoinedChars?: number;
}

/**
 * Replaces expressions by their values: a text that is one whole expression becomes the value with its JSON type; in
 * other texts values are joined (null as nothing, objects and lists as JSON). Values are never read as expressions
 * again. New objects have no prototype; constants and values of the scope are passed on as they are. Throws
 * EvaluationError: UnresolvedExpression, EvaluationTooLarge.
 */
export function evaluate(compiled: CompiledValue, scope: ExpressionScope, options?: EvaluateOptions): unknown {
  const { node } = compiled;
  if (node.kind === 'constant') return node.value;
  const { onMissing = 'fail', maxJoinedChars = MAX_JOINED_CHARS } = options ?? {};
  return evaluateNode(node, { scope, onMissing, maxJoinedChars, joinedChars: 0 });
}

interface Evaluation {
  readonly scope: ExpressionScope;
  readonly onMissing: OnMissing;
  readonly maxJoinedChars: number;
  joinedChars: number;
}

type Reading = Pick<Evaluation, 'scope' | 'onMissing'>;

function evaluateNode(node: CompiledNode, evaluation: Evaluation): unknown {
  switch (node.kind) {
    case 'constant':
      return node.value;
    case 'expression':
      return valueOf(node.expression, evaluation);
    case 'text':
      return joinText(node.parts, evaluation);
    case 'list':
      return node.items.map((item) => evaluateNode(item, evaluation));
    case 'object': {
      const { keys, values } = node;
      // without a prototype, so that a key called __proto__ is an ordinary key
      const result = Object.create(null) as Record<string, unknown>;
      for (let i = 0; i < keys.length; i += 1) {
        result[keys[i] as string] = evaluateNode(values[i] as CompiledNode, evaluation);
      }
      return result;
    }
  }
}

function valueOf(expression: Expression, { scope, onMissing }: Reading): unknown {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind === 'rich') return richValueOf(expression, { scope, onMissing });
  const value = resolve(expression, scope);
  if (value !== MISSING && value !== null) return value;
  if (expression.fallback) return expression.fallback.value;
  if (value === null) return null;
  if (onMissing === 'fail') throw unresolved(expression, scope);
  return onMissing === 'null' ? null : '';
}

/** An expression without a value that reads a skipped layer, or the error of a layer that did not fail, is null. */
function richValueOf(expression: RichExpression, { scope, onMissing }: Reading): unknown {
  if (!scope.computed?.has(expression)) throw new TypeError(`${expression.source} was not computed before`);
  const value = scope.computed.get(expression);
  if (value !== undefined) return value;
  if (expression.reads.some((read) => isOfLayer(read) && start(read, scope) === null)) return null;
  if (onMissing === 'fail') throw unresolvedRich(expression, scope);
  return onMissing === 'null' ? null : '';
}

function joinText(parts: readonly (string | Expression)[], evaluation: Evaluation): string {
  let text = '';
  for (const part of parts) {
    const piece = typeof part === 'string' ? part : asText(valueOf(part, evaluation));
    evaluation.joinedChars += piece.length;
    if (evaluation.joinedChars > evaluation.maxJoinedChars) throw new EvaluationTooLarge(evaluation.maxJoinedChars);
    text += piece;
  }
  return text;
}

/**
 * A value inside a text: texts as they are, null as nothing, numbers and booleans written out, everything else as JSON.
 */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  return JSON.stringify(value);
}
