import type { Sequence } from './gives-sequence.js';

/** A literal in an expression. */
export type Literal = string | number | boolean | null;

/** What a path starts from. `layer` is the output of another layer, `errors` its failure; both are named by the first part. */
export type Root =
  | ('layer' | 'errors' | 'args' | 'blueprint' | 'play' | 'flow' | 'company')
  | ('item' | 'index' | 'page' | 'repeat' | 'hook' | 'message' | 'link');

/** One `{{ … }}`, parsed. `{{ .a.b }}` and `{{ $prev.a.b }}` are equivalent. */
export type Expression = PathExpression | LiteralExpression | RichExpression;

export interface PathExpression {
  readonly kind: 'path';
  /** As written, without braces and blanks. */
  readonly source: string;
  /** Path of the text in the compiled value, in dots; '' for the value itself. */
  readonly at: string;
  readonly root: Root;
  /** For the roots `layer` and `errors`: the layer's ref. */
  readonly ref: string;
  /** Fields and array positions after the root. */
  readonly steps: readonly (string | number)[];
  /** After `??`: used when the path has no value or null. */
  readonly fallback?: { readonly value: Literal };
}

/** `{{ "{{" }}`: how a text contains two braces. */
export interface LiteralExpression {
  readonly kind: 'literal';
  readonly value: Literal;
}

/** Anything richer than a path: JSONata, which the sandbox evaluates before the values around it are evaluated. */
export interface RichExpression {
  readonly kind: 'rich';
  /** As written, without braces and blanks. */
  readonly source: string;
  /** Path of the text in the compiled value, in dots; '' for the value itself. */
  readonly at: string;
  /** The same with `$prev` before each path that begins with a dot. */
  readonly jsonata: string;
  readonly reads: readonly RichRead[];
  /** Its result is a list only when it has several values. */
  readonly sequence?: Sequence;
}

/** A place where a richer expression reads a variable, with as much of the path as is written in plain names. */
export interface RichRead {
  readonly root: Root;
  /** For the roots `layer` and `errors`: the layer's ref. */
  readonly ref: string;
  readonly steps: readonly string[];
  /** Whether it only tests that the value exists. */
  readonly guarded: boolean;
}

/**
 * UTF-8 bytes of a text with expressions (docs/operator-contract.md §1). A text without expressions may have any
 * length.
 */
export const MAX_TEMPLATE_BYTES = 65_536;
/** Parts of one path. */
export const MAX_PATH_PARTS = 64;
/** UTF-16 units of the path to a text with expressions: each such text is identified by its path. */
export const MAX_PATH_CHARS = 1_000;
/** Levels of objects and lists in a value (docs/http-api.md §1.3). */
export const MAX_DEPTH = 32;
/** UTF-16 units of text that one evaluation may produce: a short template can repeat a large output many times. */
export const MAX_JOINED_CHARS = 16_777_216;
