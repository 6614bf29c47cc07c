/** What loops of both kinds share: of calls, and of plays that their items start. */
import type { DoneItems } from '@weft/engine';
import { evaluate, type CompiledValue, type ExpressionScope, type RichExpression } from '@weft/expressions';
import { LayerFailure } from '../layer-module.js';
import { computed } from '../call/call-sandbox.js';
import type { ItemFailure } from './item-attempts.js';
import { scopeOf, type PreparedCall } from '../call/layer-call.js';
import { asJson, assertBytes } from '../call/layer-outputs.js';
import { idempotencyKeyOf, sandboxUse } from '../call/module-call.js';
import type { ModuleServices } from '../call/module-services.js';
import type { LoopState } from './unfinished-loops.js';

const MAX_ITEMS = 10_000;

/**
 * When the play continues or is over, a retry does not need them; a retry without them calls all items under the same
 * keys.
 */
export async function withDoneItems(
  failure: ItemFailure,
  { call, layer }: PreparedCall,
  store: () => Promise<DoneItems | undefined>,
): Promise<ItemFailure> {
  if (call.signal.aborted || layer.definition.onError === 'continue') return failure;
  const doneItems = await store().catch(() => undefined);
  return doneItems ? failure.with({ doneItems }) : failure;
}

/** @throws LayerFailure `output_too_large` */
export function addOut(state: LoopState, work: PreparedCall, index: number, out: unknown): void {
  const bytes = state.bytes + Buffer.byteLength(asJson(out)) + 1;
  assertBytes(bytes + 1, work);
  state.bytes = bytes;
  state.outs[index] = out;
  state.done += 1;
}

/** @throws LayerFailure `invalid_args` when there is no list, or it is too long */
export async function itemsOf(
  work: PreparedCall,
  list: CompiledValue,
  services: Pick<ModuleServices, 'sandbox' | 'files'>,
): Promise<readonly unknown[]> {
  const { call, layer } = work;
  const wanted = asSequence(list);
  const scope = await computed(wanted, scopeOf(call), sandboxUse(work, services, `${idempotencyKeyOf(work)}.in`));
  const items =
    sequenceOf(wanted, scope) ?? evaluate(wanted, scope, { onMissing: call.prepared.version.settings.onMissing });
  if (!Array.isArray(items)) {
    const kind = items === null ? 'null' : typeof items;
    throw new LayerFailure('invalid_args', `forEach.in must give a list: ${layer.definition.forEach?.in} is ${kind}`);
  }
  if (items.length > MAX_ITEMS) {
    throw new LayerFailure('invalid_args', `forEach takes at most ${MAX_ITEMS} items, not ${items.length}`);
  }
  return items as readonly unknown[];
}

/** JSONata's `[]` keeps one value of a filter in its list: one that is a list itself could not be distinguished from several values. */
function asSequence(list: CompiledValue): CompiledValue {
  const { node } = list;
  const expression = node.kind === 'expression' ? node.expression : undefined;
  if (expression?.kind !== 'rich' || expression.sequence !== 'filter') return list;
  const kept: RichExpression = { ...expression, jsonata: `${expression.jsonata}[]` };
  return { ...list, rich: [kept], node: { kind: 'expression', expression: kept } };
}

/** What JSONata does not give as a list: no result, and one value of what would be a list with two. */
function sequenceOf({ node }: CompiledValue, { computed: found }: ExpressionScope): readonly unknown[] | undefined {
  const expression = node.kind === 'expression' ? node.expression : undefined;
  if (expression?.kind !== 'rich' || !found?.has(expression)) return undefined;
  const value = found.get(expression);
  if (value === undefined) return [];
  return expression.sequence && value !== null && !Array.isArray(value) ? [value] : undefined;
}
