/** A value that an expression may write out. */
export type Literal = string | number | boolean | null;

/** What a path starts from. `layer` is the output of another layer, named by the first part. */
export type Root = 'layer' | 'args' | 'blueprint' | 'play' | 'flow' | 'company' | 'item' | 'index';

/** One `{{ … }}`, parsed. `{{ .a.b }}` and `{{ $prev.a.b }}` are the same one. */
export type Expression = PathExpression | LiteralExpression | RichExpression;

export interface PathExpression {
  readonly kind: 'path';
  /** As written, without braces and blanks. */
  readonly source: string;
  /** Where in the compiled value it stands, in dots; '' for the value itself. */
  readonly at: string;
  readonly root: Root;
  /** Of root `layer`: the layer's ref. */
  readonly ref: string;
  /** Fields and array positions after the root. */
  readonly steps: readonly (string | number)[];
  /** After `??`: taken when the path leads to nothing or to null. */
  readonly fallback?: { readonly value: Literal };
}

/** `{{ "{{" }}`: how a text says two braces. */
export interface LiteralExpression {
  readonly kind: 'literal';
  readonly value: Literal;
}

/** Anything richer: JSONata, which the sandbox evaluates before the values around it are put together. */
export interface RichExpression {
  readonly kind: 'rich';
  /** As written, without braces and blanks. */
  readonly source: string;
  /** Where in the compiled value it stands, in dots; '' for the value itself. */
  readonly at: string;
  /** The same with `$prev` before each path that begins with a dot. */
  readonly jsonata: string;
  readonly reads: readonly RichRead[];
}

/** One place where a richer expression reads a variable: as much of the path as stands there in plain names. */
export interface RichRead {
  readonly root: Root;
  /** Of root `layer`: the layer's ref. */
  readonly ref: string;
  readonly steps: readonly string[];
  /** It only asks whether it is there. */
  readonly guarded: boolean;
}

/** UTF-8 bytes of a text that holds expressions (contract §8). A text without any may be of any length. */
export const MAX_TEMPLATE_BYTES = 65_536;
/** Parts of one path. */
export const MAX_PATH_PARTS = 64;
/** UTF-16 units of the names around a text with expressions: each such text is known by its path. */
export const MAX_PATH_CHARS = 1_000;
/** Levels of objects and lists in a value (contract §1). */
export const MAX_DEPTH = 32;
/** UTF-16 units of text that one evaluation may join together: a short template can repeat a large output often. */
export const MAX_JOINED_CHARS = 16_777_216;
