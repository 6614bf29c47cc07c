/**
 * JSONata's parser copies what precedes each `??` and `?:`, by way of JSON. Copies of copies grow without bound, so
 * their size is computed before parsing; and they lose regular expressions, so those are restored afterwards.
 */
import { childrenOf, type SyntaxNode } from './jsonata-tree.js';

/**
 * A copy is written as JSON, read again, and parsed further: as much work as twice the same text, in addition to the
 * original.
 */
const COPY_COST_FACTOR = 3;
/** A case-insensitive Unicode class takes as much work as this many characters of JSONata. */
const CHARS_PER_PATTERN = 20;

interface Part {
  /** Characters before the part, including copies. */
  before: number;
  /** Characters that would be copied next. */
  left: number;
}

/** The size of an expression with all its copies, computed from its tokens in order. Never too small. */
export class CopiedChars {
  private readonly outer: Part[] = [];
  private part: Part = { before: 0, left: 0 };

  constructor(private at: number) {}

  open(at: number): void {
    this.upTo(at);
    this.outer.push(this.part);
    this.part = { before: 0, left: 0 };
  }

  close(at: number): void {
    this.upTo(at);
    const inside = this.part.before + this.part.left;
    this.part = this.outer.pop() ?? { before: 0, left: 0 };
    this.part.left += inside;
  }

  /** What follows is parsed separately: nothing before it is copied with it. */
  separate(at: number): void {
    this.upTo(at);
    this.part.before += this.part.left;
    this.part.left = 0;
  }

  copy(at: number): void {
    this.upTo(at);
    this.part.left *= COPY_COST_FACTOR;
    this.separate(at);
  }

  /** A regular expression, which the parser compiles. */
  pattern(chars: number): void {
    this.part.left += chars * CHARS_PER_PATTERN;
  }

  total(end: number): number {
    this.upTo(end);
    return this.part.before + this.part.left;
  }

  private upTo(at: number): void {
    this.part.left += at - this.at;
    this.at = at;
  }
}

/** The tree with the regular expressions that its copies lack. */
export function restorePatterns(node: SyntaxNode): void {
  if (node.type === 'condition') {
    const { condition, then } = node as { condition?: SyntaxNode; then?: SyntaxNode };
    // for `?:` the condition is the copy, for `??` the argument of the call in it
    for (const copy of [condition, condition?.arguments?.[0]]) restoreIn(copy, then);
  }
  for (const child of childrenOf(node)) restorePatterns(child);
}

function restoreIn(copy: SyntaxNode | undefined, original: SyntaxNode | undefined): void {
  if (!copy || copy.type !== original?.type) return;
  if (copy.type === 'regex' && !(copy.value instanceof RegExp)) Object.assign(copy, { value: original.value });
  const originals = childrenOf(original);
  for (const [i, child] of childrenOf(copy).entries()) restoreIn(child, originals[i]);
}
