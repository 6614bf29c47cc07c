/** What the model is sent: a pure function of the arguments and of the steps so far. */
import type { CallResult, ChatMessage, ChatRequest, ChatTool } from '../provider/port.js';
import type { AgentArgs } from '../shape.js';
import type { AgentTool } from '../tools/tool.js';
import { ANSWER_TOOL } from '../tools/names.js';
import { answerTool, READING_TOOL } from './own-tools.js';
import type { ResultEntry, Turn } from './entry.js';
import { resultText } from './result-text.js';

const ASK_FOR_ANSWER = `Call the tool ${ANSWER_TOOL} with your answer.`;

/** @param atLimit the limit that is reached: this is the last answer */
export function requestAfter(
  args: AgentArgs,
  tools: readonly AgentTool[],
  turns: readonly Turn[],
  atLimit: string | null,
): ChatRequest {
  const { model, instructions, input, outputSchema, temperature, maxTokens } = args;
  const last = turns.at(-1);
  const hint = atLimit !== null ? lastHint(atLimit, outputSchema !== undefined) : last && asksAgain(last, args);
  const messages: ChatMessage[] = [
    { role: 'user', text: input },
    ...turns.flatMap((turn) => messagesOf(turn, tools)),
    ...(hint === undefined ? [] : [{ role: 'user', text: hint } as const]),
  ];
  return {
    model,
    instructions,
    messages,
    tools: [
      ...tools.map(shown),
      ...(tools.length > 0 ? [READING_TOOL] : []),
      ...(outputSchema ? [answerTool(outputSchema)] : []),
    ],
    mayCall: atLimit === null || outputSchema !== undefined,
    temperature,
    maxTokens,
  };
}

function shown({ name, description, schema }: AgentTool): ChatTool {
  return { name, description, schema };
}

function lastHint(limit: string, hasSchema: boolean): string {
  const how = hasSchema ? ` by calling ${ANSWER_TOOL} alone` : '';
  return `You have reached a limit (${limit}). Answer now${how}, with what you have: no other tool is called any more.`;
}

/** After an answer without calls where a value is wanted. */
function asksAgain({ model }: Turn, { outputSchema }: AgentArgs): string | undefined {
  return outputSchema && model.calls.length === 0 ? ASK_FOR_ANSWER : undefined;
}

function messagesOf(turn: Turn, tools: readonly AgentTool[]): ChatMessage[] {
  const { text, calls } = turn.model;
  const asked = calls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given }));
  const said: ChatMessage = { role: 'assistant', text, calls: asked };
  if (calls.length === 0) return [said];
  return [said, { role: 'tools', results: calls.map((_, call) => resultOf(turn, call, tools)) }];
}

/** What the model reads of a call. */
function resultOf({ model, approvals, results }: Turn, call: number, tools: readonly AgentTool[]): CallResult {
  const { id: callId = '', name = '', refused } = model.calls[call] ?? {};
  if (refused !== undefined) return { callId, text: refused, isError: true };
  const rejection = approvals.find((one) => one.call === call && one.decision === 'reject');
  if (rejection) {
    const why = rejection.comment ? `: ${rejection.comment}` : '.';
    return { callId, text: `A person has rejected this call${why}`, isError: true };
  }
  const found = results.find(([, entry]) => entry.call === call);
  if (!found) return { callId, text: 'There is no result.', isError: true };
  const [index, entry]: readonly [number, ResultEntry] = found;
  const of = tools.find((tool) => tool.name === name)?.listed.kind;
  return { callId, text: resultText(index, entry, of), isError: !entry.ok };
}
