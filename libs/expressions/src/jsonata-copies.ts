/**
 * JSONata's parser copies what stands before each `??` and `?:`, and does it by way of JSON. Copies of copies grow without bound,
 * so they are counted before it parses; and patterns are lost in them, so those are put back afterwards.
 */
import { childrenOf, type SyntaxNode } from './jsonata-tree.js';

/** To be written as JSON, read again, and parsed further: as much work as two times the same text, and the original stays. */
const COPY = 3;
/** Classes of Unicode, not caring for case: as much work as so many characters of JSONata. */
const PATTERN = 20;

interface Part {
  /** Characters in front of the part, its copies included. */
  before: number;
  /** Characters of what would be copied next. */
  left: number;
}

/** How long an expression is with all its copies: told of its tokens in their order. Never too little. */
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

  /** What follows is parsed for itself: nothing in front is copied with it. */
  separate(at: number): void {
    this.upTo(at);
    this.part.before += this.part.left;
    this.part.left = 0;
  }

  copy(at: number): void {
    this.upTo(at);
    this.part.left *= COPY;
    this.separate(at);
  }

  /** A pattern stands here, which is compiled. */
  pattern(chars: number): void {
    this.part.left += chars * PATTERN;
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

/** The tree with the patterns that its copies lack. */
export function restorePatterns(node: SyntaxNode): void {
  if (node.type === 'condition') {
    const { condition, then } = node as { condition?: SyntaxNode; then?: SyntaxNode };
    // of `?:` the condition is the copy, of `??` the argument of the call that it is
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
