/** The output of an agent: what it says, and what it has done. Pure. */
import { parseJson } from '@weft/kernel';
import type { Output } from '../../../layer-module.js';
import { ANSWER_TOOL } from '../tools/names.js';
import type { Turn } from './entry.js';
import { usageOf } from './usage.js';

/** @param stop why it has ended: `end`, or the code of a failure @param value what it gave, by the schema of the output */
export function outputOf(turns: readonly Turn[], stop: string, value: unknown = null): Output {
  const { tokensIn, tokensOut, calls, cost } = usageOf(turns);
  const text = turns.at(-1)?.model.text ?? '';
  return { text, value, steps: turns.flatMap(stepsOf), usage: { tokensIn, tokensOut, calls }, cost, stop };
}

function stepsOf({ model, approvals, results }: Turn): Output[] {
  const { tokensIn, tokensOut } = model.usage;
  const answer = { kind: 'model', tool: null, args: null, ok: true, ms: model.ms, tokens: tokensIn + tokensOut };
  const argsOf = (call: number) => model.calls[call]?.input ?? argumentsOf(model.calls[call]?.arguments);
  const refused = model.calls.flatMap(({ name, refused: why }, call) =>
    why === undefined || name === ANSWER_TOOL
      ? []
      : [{ kind: 'tool', tool: name, args: argsOf(call), ok: false, ms: 0, tokens: null, refused: why }],
  );
  return [
    answer,
    ...refused,
    ...approvals.map(({ call, tool, decision, by }) => ({
      ...{ kind: 'approval', tool, args: argsOf(call), ok: decision === 'approve', ms: 0, tokens: null, by },
    })),
    ...results.map(([, { kind, call, tool, ok, ms, playId }]) => ({
      ...{ kind, tool, args: argsOf(call), ok, ms, tokens: null },
      ...(playId !== undefined && { playId }),
    })),
  ];
}

/** What the model wrote, where it is an object. */
function argumentsOf(text = ''): unknown {
  try {
    const value: unknown = parseJson(Buffer.from(text));
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
