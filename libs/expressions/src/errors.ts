/** An expression, or the value around it, that cannot be parsed. */
export interface SyntaxFault {
  /** Path in the compiled value, in dots; '' for the value itself. */
  readonly path: string;
  readonly message: string;
}

/** Thrown by `compile`, with all faults of the value. */
export class ExpressionSyntaxError extends Error {
  constructor(readonly faults: readonly SyntaxFault[]) {
    super(faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; '));
    this.name = 'ExpressionSyntaxError';
  }
}

/** What `evaluate` throws; `code` is that of the layer's error (docs/http-api.md §1.7). */
export abstract class EvaluationError extends Error {
  abstract readonly code: 'expression_unresolved' | 'output_too_large';
}

/** A path that has no value. */
export class UnresolvedExpression extends EvaluationError {
  readonly code = 'expression_unresolved';

  constructor(
    message: string,
    /** The path as written, e.g. `.fetch.bdoy`. */
    readonly path: string,
    /** Path of the expression in the evaluated value, in dots. */
    readonly at: string,
    /** Names that exist where the path fails, nearest first, at most three. */
    readonly nearest: readonly string[],
  ) {
    super(message);
    this.name = 'UnresolvedExpression';
  }
}

/** Joined texts exceeded the limit of one evaluation. */
export class EvaluationTooLarge extends EvaluationError {
  readonly code = 'output_too_large';

  constructor(maxChars: number) {
    super(`the texts with expressions grow past ${maxChars} characters`);
    this.name = 'EvaluationTooLarge';
  }
}
