/**
 * The arguments of a layer with values instead of expressions, for somebody who looks at them: an expression without a value
 * leaves null and says why, and the others have theirs.
 */
import { evaluate, type CompiledValue, type ExpressionScope, type RichExpression } from '@weft/expressions';
import { computed, type SandboxUse } from '../call/call-sandbox.js';
import { toLayerFailure } from '../call/failure.js';
import type { PreparedCall } from '../call/layer-call.js';

/** Paths are JSON pointers into the arguments; `''` is all of them. */
export interface Unresolved {
  readonly path: string;
  readonly reason: string;
}

export interface RenderedArgs {
  readonly args: unknown;
  /** The texts with expressions, as the flow has them, by the place of their value. */
  readonly expressions: Readonly<Record<string, string>>;
  readonly unresolved: readonly Unresolved[];
}

/** What an expression reads that is not known any more, in words; undefined: all of it is known. */
export type WhyLost = (read: ExpressionRead) => string | undefined;

type ExpressionRead = Pick<RichExpression['reads'][number], 'root' | 'ref'> & {
  readonly steps: readonly (string | number)[];
};
type Node = CompiledValue['node'];
type Expression = Extract<Node, { kind: 'expression' }>['expression'];

interface Leaf {
  readonly pointer: string;
  readonly node: Extract<Node, { kind: 'expression' | 'text' }>;
  readonly source: string;
}

export interface Rendering {
  readonly work: PreparedCall;
  readonly scope: ExpressionScope;
  readonly use: SandboxUse;
  readonly whyLost: WhyLost;
}

/** Never rejects because of the layer. */
export async function renderArgs({ work, scope, use, whyLost }: Rendering): Promise<RenderedArgs> {
  const { args: compiled, definition } = work.layer;
  const leaves = leavesOf(compiled.node, definition.args);
  const expressions = Object.fromEntries(leaves.map(({ pointer, source }) => [pointer, source]));
  const { onMissing } = work.call.prepared.version.settings;
  const valueOf = async (value: CompiledValue): Promise<unknown> =>
    evaluate(value, await computed(value, scope, use), { onMissing });
  const lost = new Map(
    leaves.flatMap(({ pointer, node }) => {
      const reason = whyNodeLost(node, whyLost);
      return reason === undefined ? [] : [[pointer, reason] as const];
    }),
  );
  if (lost.size === 0) {
    // together as in the call: chance in the sandbox depends on all of them
    const whole = await valueOf(compiled).then(
      (args) => ({ args }),
      () => null,
    );
    if (whole) return { args: whole.args, expressions, unresolved: [] };
  }
  const found = new Map<string, unknown>();
  for (const { pointer, node } of leaves) {
    if (lost.has(pointer)) continue;
    if (use.signal.aborted) lost.set(pointer, TIME_IS_OVER);
    else
      await valueOf({ ...compiled, node, rich: richIn(node) }).then(
        (value) => found.set(pointer, value),
        (error: unknown) => lost.set(pointer, toLayerFailure(error).message),
      );
  }
  const unresolved = [...lost].map(([path, reason]) => ({ path, reason }));
  return { args: filled(compiled.node, '', found), expressions, unresolved };
}

export const TIME_IS_OVER = 'It took too long: the time is over.';

/** The texts with expressions in order, with their places. */
function leavesOf(node: Node, written: unknown, pointer = ''): Leaf[] {
  switch (node.kind) {
    case 'constant':
      return [];
    case 'expression':
    case 'text':
      return [{ pointer, node, source: String(written) }];
    case 'list':
      return node.items.flatMap((item, i) => leavesOf(item, (written as readonly unknown[])[i], `${pointer}/${i}`));
    case 'object':
      return node.values.flatMap((value, i) => {
        const key = node.keys[i] ?? '';
        return leavesOf(value, (written as Readonly<Record<string, unknown>>)[key], `${pointer}/${escaped(key)}`);
      });
  }
}

/** RFC 6901. */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function filled(node: Node, pointer: string, found: ReadonlyMap<string, unknown>): unknown {
  switch (node.kind) {
    case 'constant':
      return node.value;
    case 'expression':
    case 'text':
      return found.get(pointer) ?? null;
    case 'list':
      return node.items.map((item, i) => filled(item, `${pointer}/${i}`, found));
    case 'object':
      return Object.fromEntries(
        node.keys.map((key, i) => [key, filled(node.values[i] as Node, `${pointer}/${escaped(key)}`, found)]),
      );
  }
}

/** Why the value of an expression, or of a text with several, cannot be computed any more. */
export function whyNodeLost(node: Node, whyLost: WhyLost): string | undefined {
  if (node.kind !== 'expression' && node.kind !== 'text') return undefined;
  for (const each of expressionsIn(node)) {
    const reads: readonly ExpressionRead[] = each.kind === 'rich' ? each.reads : each.kind === 'path' ? [each] : [];
    for (const read of reads) {
      const reason = whyLost(read);
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

function richIn(node: Leaf['node']): RichExpression[] {
  return expressionsIn(node).filter((each) => each.kind === 'rich');
}

function expressionsIn(node: Leaf['node']): Expression[] {
  return node.kind === 'expression' ? [node.expression] : node.parts.filter((part) => typeof part !== 'string');
}
