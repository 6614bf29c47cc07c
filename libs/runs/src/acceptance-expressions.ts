/**
 * Expressions of a flow that are evaluated when a run is accepted, before any layer: its condition, and what names its queues. They read the run's
 * args, blueprint variables and the flow's name, and nothing else.
 */
import type { CompiledValue, ExpressionScope } from '@weft/expressions';
import type { FlowDocument } from '@weft/records';

export type FlowOfRun = Pick<FlowDocument, 'name' | 'key' | 'version' | 'blueprintVars'> &
  (Pick<FlowDocument, '_id' | 'company_id'> | { readonly companyId: string; readonly id: string } | VersionOf);
type VersionOf = { readonly companyId: string; readonly flowId: string };

type Node = CompiledValue['node'];
type Expression = Extract<Node, { kind: 'expression' }>['expression'];

const READABLE_ROOTS: readonly string[] = ['args', 'blueprint', 'flow'];

/** The expressions of a text. */
export function expressionsIn(node: Node): readonly Expression[] {
  if (node.kind === 'expression') return [node.expression];
  return node.kind === 'text' ? node.parts.filter((part) => typeof part !== 'string') : [];
}

/** The first thing that an expression reads and that is not known before any layer, as people wrote it; undefined: none. */
export function unreadableIn(expression: Expression): string | undefined {
  if (expression.kind === 'literal') return undefined;
  const reads = expression.kind === 'rich' ? expression.reads : [expression];
  const unreadable = reads.find(({ root }) => !READABLE_ROOTS.includes(root));
  if (!unreadable) return undefined;
  if (expression.kind === 'path') return expression.source;
  return unreadable.root === 'layer' ? `.${unreadable.ref}` : `$${unreadable.root}`;
}

export function scopeOfRun(flow: FlowOfRun, args: Readonly<Record<string, unknown>>): ExpressionScope {
  const unread = { layers: new Map<string, unknown>(), play: { id: '' }, company: { name: '' } };
  return { ...unread, args, blueprint: flow.blueprintVars ?? {}, flow: flowFacts(flow) };
}

export function companyOf(flow: FlowOfRun): string {
  return 'companyId' in flow ? flow.companyId : flow.company_id;
}

function flowFacts(flow: FlowOfRun): ExpressionScope['flow'] {
  const id = '_id' in flow ? flow._id : 'id' in flow ? flow.id : flow.flowId;
  return { id, name: flow.name, key: flow.key ?? null, version: flow.version };
}
