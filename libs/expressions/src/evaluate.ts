import type { CompiledNode, CompiledValue } from './compile.js';
import { EvaluationTooLarge } from './errors.js';
import { MAX_JOINED_CHARS, type Expression, type RichExpression } from './expression.js';
import { NOTHING, resolve, unresolved, unresolvedRich, type Scope } from './resolve.js';

/** What a path that leads to nothing becomes: an error, null, or the empty text. */
export type OnMissing = 'fail' | 'null' | 'empty';

export interface EvaluateOptions {
  /** Default `fail`. A `??` on the expression comes before it. */
  readonly onMissing?: OnMissing;
}

/**
 * Puts values where the expressions stand: a text that is one whole expression becomes the value with its JSON type, in other
 * texts values are joined (null as nothing, objects and lists as JSON). One pass: what a value says is never read as an
 * expression. New objects have no prototype; constants and values of the scope are passed on as they are.
 * Throws EvaluationError: UnresolvedExpression, EvaluationTooLarge.
 */
export function evaluate(compiled: CompiledValue, scope: Scope, options?: EvaluateOptions): unknown {
  const { node } = compiled;
  if (node.kind === 'constant') return node.value;
  return evaluateNode(node, { scope, onMissing: options?.onMissing ?? 'fail', joinedChars: 0 });
}

interface Evaluation {
  readonly scope: Scope;
  readonly onMissing: OnMissing;
  joinedChars: number;
}

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
      // Without a prototype, also a key called __proto__ is only a key.
      const result = Object.create(null) as Record<string, unknown>;
      for (let i = 0; i < keys.length; i += 1) {
        result[keys[i] as string] = evaluateNode(values[i] as CompiledNode, evaluation);
      }
      return result;
    }
  }
}

function valueOf(expression: Expression, { scope, onMissing }: Evaluation): unknown {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind === 'rich') return richValueOf(expression, { scope, onMissing });
  const value = resolve(expression, scope);
  if (value !== NOTHING && value !== null) return value;
  if (expression.fallback) return expression.fallback.value;
  if (value === null) return null;
  if (onMissing === 'fail') throw unresolved(expression, scope);
  return onMissing === 'null' ? null : '';
}

/** What led to nothing because a layer was skipped reads as null, as its output does. */
function richValueOf(expression: RichExpression, { scope, onMissing }: Omit<Evaluation, 'joinedChars'>): unknown {
  if (!scope.computed?.has(expression)) throw new TypeError(`${expression.source} was not computed before`);
  const value = scope.computed.get(expression);
  if (value !== undefined) return value;
  if (expression.reads.some(({ root, ref }) => root === 'layer' && scope.layers.get(ref) === null)) return null;
  if (onMissing === 'fail') throw unresolvedRich(expression, scope);
  return onMissing === 'null' ? null : '';
}

function joinText(parts: readonly (string | Expression)[], evaluation: Evaluation): string {
  let text = '';
  for (const part of parts) {
    const piece = typeof part === 'string' ? part : asText(valueOf(part, evaluation));
    evaluation.joinedChars += piece.length;
    if (evaluation.joinedChars > MAX_JOINED_CHARS) throw new EvaluationTooLarge(MAX_JOINED_CHARS);
    text += piece;
  }
  return text;
}

/** A value inside a text: texts as they are, null as nothing, numbers and booleans written out, the rest as JSON. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return JSON.stringify(value);
}
