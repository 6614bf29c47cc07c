/** What an agent does next: a pure function of its arguments and of the steps before. */
import { LayerFailure, type Output } from '../../../layer-module.js';
import type { NextSteps, Step } from '../../../stepping-module.js';
import type { AgentArgs } from '../shape.js';
import type { AgentTool } from '../tools/tool.js';
import { madeCalls, turnsOf, undecided, type Entry, type JudgedCall, type Turn } from './entry.js';
import { limitReached, percentUsed, type LimitReached } from './limits.js';
import { modelStep } from './model-step.js';
import { outputOf } from './output.js';
import { ANSWER_TOOL, READ_TOOL } from '../tools/names.js';
import { readStep } from './read-result.js';
import { readPart, stepOfRef } from './result-text.js';
import { shownInput } from './shown-input.js';
import { callOfTool } from './tool-step.js';

/** Calls of one answer that run side by side. */
const MOST_AT_ONCE = 8;

export interface Agent {
  readonly args: AgentArgs;
  readonly tools: readonly AgentTool[];
}

/** @throws LayerFailure the codes of limits, `answer_cut`, `model_refused`, `context_full` */
export function nextSteps(agent: Agent, before: readonly Output[]): NextSteps {
  const turns = turnsOf(before);
  const last = turns.at(-1);
  const percent = percentUsed(turns, agent.args.limits);
  const status = (what: string) => `step ${turns.length}: ${what}`;
  const asked = last && undecided(last)[0];
  if (last && asked !== undefined) return { steps: [askStep(agent, last, asked, { percent, status })] };
  const due = last ? dueCalls(agent, last) : [];
  if (last && due.length > 0)
    return { steps: due.map((call) => stepFor(agent, last, call, before, { percent, status })) };
  return ended(agent, turns) ?? { steps: [modelStep(agent, turns, limitOf(agent, turns), percent)] };
}

/** The layer has its output, or can have none. */
function ended({ args }: Agent, turns: readonly Turn[]): NextSteps | null {
  const last = turns.at(-1);
  if (!last) return null;
  const { calls, stop, atLimit = 'end' } = last.model;
  const answer = calls.find(({ name, input }) => name === ANSWER_TOOL && input !== null);
  if (answer) return { end: outputOf(turns, atLimit, answer.input) };
  if (calls.length > 0) return null;
  if (stop === 'context_full') throw failure(turns, 'context_full', 'the conversation leaves no room for an answer');
  if (stop === 'refused') throw failure(turns, 'model_refused', 'the model, or its provider, refuses to answer');
  if (stop === 'length')
    throw failure(turns, 'answer_cut', `the answer has reached ${args.maxTokens} tokens: raise maxTokens`);
  return args.outputSchema ? null : { end: outputOf(turns, atLimit) };
}

/**
 * The limit at which the next answer is the last one; null: it is not.
 *
 * @throws LayerFailure its code
 */
function limitOf({ args }: Agent, turns: readonly Turn[]): LimitReached | null {
  const limit = limitReached(turns, args.limits);
  if (!limit) return null;
  if (args.onLimit === 'answer' && turns.at(-1)?.model.atLimit === undefined) return limit;
  throw failure(turns, limit.code, limit.message);
}

function failure(turns: readonly Turn[], code: string, message: string): LayerFailure {
  return new LayerFailure(code, message, outputOf(turns, code));
}

/** Positions of the calls that are made next. */
function dueCalls({ tools }: Agent, turn: Turn): readonly number[] {
  const left = madeCalls(turn)
    .filter((call) => nameAt(turn, call) !== ANSWER_TOOL)
    .slice(turn.results.length);
  const mayShare = (call: number | undefined) => {
    const name = call === undefined ? undefined : nameAt(turn, call);
    return name === READ_TOOL || tools.some((tool) => tool.name === name && tool.listed.parallel);
  };
  const alone = left.findIndex((call) => !mayShare(call));
  return left.slice(0, Math.max(1, Math.min(MOST_AT_ONCE, alone === -1 ? left.length : alone)));
}

function nameAt({ model }: Turn, call: number): string | undefined {
  return model.calls[call]?.name;
}

interface Progress {
  readonly percent: number;
  readonly status: (what: string) => string;
}

function stepFor(agent: Agent, turn: Turn, call: number, before: readonly Output[], at: Progress): Step {
  const { name, input } = turn.model.calls[call] as JudgedCall;
  const shown = { percent: at.percent, status: at.status(name) };
  if (name === READ_TOOL) return readStep(call, input ?? {}, partOf(agent, before, input?.ref), shown);
  const tool = agent.tools.find((one) => one.name === name);
  if (!tool)
    throw new LayerFailure('agent_diverged', `the tool ${name}, which was called before, is not listed any more`);
  return callOfTool(tool, call, input ?? {}, shown);
}

/** What a model may read of the result that it names; undefined: there is no such result. */
function partOf({ tools }: Agent, before: readonly Output[], ref: unknown): unknown {
  const step = stepOfRef(ref);
  const entry = (step === null ? undefined : before[step]) as unknown as Entry | undefined;
  if (entry?.kind !== 'tool' && entry?.kind !== 'child') return undefined;
  return readPart(entry.result, tools.find((tool) => tool.name === entry.tool)?.listed.kind) ?? null;
}

function askStep({ args }: Agent, { model }: Turn, call: number, { percent, status }: Progress): Step {
  const { name, input } = model.calls[call] as JudgedCall;
  const shown = shownInput(input) ?? '';
  return {
    does: 'ask',
    name: { kind: 'approval', tool: name },
    request: { approve: name, input },
    asks: { approval: name, input, approvers: args.approvers },
    percent,
    status: status(`waits for an approval of ${name}`),
    approval: { message: `May the agent call ${name}?\n${shown}`, approvers: args.approvers, onTimeout: 'fail' },
    answered: (payload) => {
      const { decision, by, comment, at } = payload as Readonly<Record<string, string | null>>;
      if (decision === 'reject' && args.onReject === 'fail') {
        const why = comment ? `: ${comment}` : '';
        throw new LayerFailure('rejected', `the call of ${name} was rejected${why}`);
      }
      return { kind: 'approval', call, tool: name, decision, by, comment, at };
    },
  };
}
