/** Whether a person approves a call: a condition over `$call`, and nothing else. */
import { isTruthy, JsonataFault, parseProgram } from '@weft/expressions';
import { LayerFailure, type LayerSandbox } from '../../../layer-module.js';
import type { CheckedCall } from './tool.js';

const CONDITION = /^\{\{([^]*)\}\}$/;
const PLAIN: ReadonlySet<string> = new Set(['never', 'always']);

/** What is wrong with an `approve`; null: nothing. */
export function faultOfApprove(text: string): string | null {
  if (PLAIN.has(text)) return null;
  const program = programOf(text);
  if (program === null) return 'expected never, always, or one condition in braces, like {{ $call.args.amount > 100 }}';
  try {
    const { reads } = parseProgram(program, 'approve');
    return reads.length > 0
      ? 'reads more than $call: only $call.tool and $call.args are known when a call is made'
      : null;
  } catch (error) {
    if (error instanceof JsonataFault) return error.message;
    throw error;
  }
}

/**
 * A person is asked unless the condition says that this is needless: also where it has no value, because an argument is missing, and
 * where it fails, because one is of another type or too large.
 *
 * @throws LayerFailure `cancelled`
 */
export async function asksFor(
  { tool, input }: CheckedCall,
  { sandbox }: { readonly sandbox: Pick<LayerSandbox, 'transform'> },
): Promise<boolean> {
  const { approve } = tool.listed;
  if (PLAIN.has(approve)) return approve === 'always';
  // nothing but the call can be read, and no text of a model is part of the program
  try {
    const value = await sandbox.transform(programOf(approve) ?? 'true', { tool: tool.name, args: input });
    return value === null || isTruthy(value);
  } catch (error) {
    if (error instanceof LayerFailure && UNJUDGED.has(error.code)) return true;
    throw error;
  }
}

/** Codes of conditions that could not be computed. */
const UNJUDGED: ReadonlySet<string> = new Set(['expression_failed', 'sandbox_limit']);

/** The condition as a program whose input is the call. */
function programOf(text: string): string | null {
  const condition = CONDITION.exec(text.trim())?.[1];
  return condition === undefined || condition.trim() === '' ? null : `($call := $$; ${condition})`;
}
