/** One expression, or one value around it, that cannot be read. */
export interface SyntaxFault {
  /** Where in the compiled value, in dots; '' for the value itself. */
  readonly path: string;
  readonly message: string;
}

/** Thrown by `compile`, with every fault of the value at once. */
export class ExpressionSyntaxError extends Error {
  constructor(readonly faults: readonly SyntaxFault[]) {
    super(faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; '));
    this.name = 'ExpressionSyntaxError';
  }
}

/** What `evaluate` throws; `code` is that of the layer's error (contract §1). */
export abstract class EvaluationError extends Error {
  abstract readonly code: 'expression_unresolved' | 'output_too_large';
}

/** A path that leads to nothing. */
export class UnresolvedExpression extends EvaluationError {
  readonly code = 'expression_unresolved';

  constructor(
    message: string,
    /** The path as written, e.g. `.fetch.bdoy`. */
    readonly path: string,
    /** Where in the evaluated value it stands, in dots. */
    readonly at: string,
    /** Names that exist where the path fails, nearest first, at most three. */
    readonly nearest: readonly string[],
  ) {
    super(message);
    this.name = 'UnresolvedExpression';
  }
}

/** Joined texts grew past what one evaluation may produce. */
export class EvaluationTooLarge extends EvaluationError {
  readonly code = 'output_too_large';

  constructor(maxChars: number) {
    super(`the texts with expressions grow past ${maxChars} characters`);
    this.name = 'EvaluationTooLarge';
  }
}
