/** What Weft says of the calls that a model asks for: whether they are made, with which input, and whether a person is asked first. */
import { valueFaults } from '@weft/json-schema';
import type { LayerContext } from '../../../layer-module.js';
import { listedFaults } from '../../operation/listed-faults.js';
import { argumentsIn } from '../provider/dialect.js';
import type { ModelCall } from '../provider/port.js';
import { asksFor, checkCall } from '../tools/call.js';
import type { JudgedCall, ModelEntry, Turn } from './entry.js';
import type { Agent } from './next-steps.js';
import { ANSWER_TOOL, OWN_TOOLS, READ_TOOL } from '../tools/names.js';
import { READING_TOOL } from './own-tools.js';
import { shownInput } from './shown-input.js';
import { usageOf } from './usage.js';

/** @param isLast only an answer is taken */
export async function judgeCalls(
  { args, tools }: Agent,
  turns: readonly Turn[],
  calls: readonly ModelCall[],
  isLast: boolean,
  context: LayerContext,
): Promise<Pick<ModelEntry, 'calls' | 'isOverCalls'>> {
  const made = new Map<string, number>();
  for (const [, { tool }] of turns.flatMap(({ results }) => results)) count(made, tool);
  let left = args.limits.toolCalls - listedCalls(turns);
  let isOverCalls = false;
  const judged: JudgedCall[] = [];
  for (const call of calls) {
    const refuse = (refused: string) => judged.push({ ...call, input: null, asks: false, refused });
    const own = ownSchema(call.name, args.outputSchema);
    if (own) {
      const input = argumentsIn(call.arguments.trim() === '' ? '{}' : call.arguments);
      const faults = input ? valueFaults(own, input, { root: 'arguments', isForeign: true, isWhole: true }) : null;
      if (!input) refuse('The arguments are not a JSON object.');
      else if (faults && faults.length > 0) refuse(listedFaults(faults));
      else judged.push({ ...call, input, asks: false });
      continue;
    }
    if (isLast) {
      refuse('No tool is called any more: answer now.');
      continue;
    }
    const checked = checkCall(tools, call);
    if ('refused' in checked) {
      refuse(checked.refused);
      continue;
    }
    const { max } = checked.tool.listed;
    if (max !== undefined && (made.get(call.name) ?? 0) >= max) {
      refuse(`${call.name} may be called ${max} times, and was.`);
      continue;
    }
    if (left <= 0) {
      isOverCalls = true;
      refuse(`At most ${args.limits.toolCalls} calls are made: this one is not.`);
      continue;
    }
    const asks = await asksFor(checked, context);
    if (asks && shownInput(checked.input) === null) {
      refuse('The arguments do not fit: a person approves this call, and is shown 9,000 bytes at most.');
      continue;
    }
    left -= 1;
    count(made, call.name);
    judged.push({ ...call, input: checked.input, asks });
  }
  return { calls: judged, ...(isOverCalls && { isOverCalls }) };
}

function count(made: Map<string, number>, name: string): void {
  made.set(name, (made.get(name) ?? 0) + 1);
}

/** Calls of listed tools that were made. */
function listedCalls(turns: readonly Turn[]): number {
  return (
    usageOf(turns).calls -
    turns.flatMap(({ results }) => results).filter(([, one]) => OWN_TOOLS.includes(one.tool)).length
  );
}

function ownSchema(name: string, outputSchema: Readonly<Record<string, unknown>> | undefined) {
  if (name === READ_TOOL) return READING_TOOL.schema;
  return name === ANSWER_TOOL ? outputSchema : undefined;
}
