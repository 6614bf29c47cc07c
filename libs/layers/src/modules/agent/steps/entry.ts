/** What is stored of each step of an agent, and what the steps of one answer of the model are. Pure. */
import type { Output } from '../../../layer-module.js';
import type { ChatStop, ChatUsage, ModelCall } from '../provider/port.js';

/** A call as the model asked for it, and what Weft says of it. */
export interface JudgedCall extends ModelCall {
  /** What the tool takes, with `fixed` put in; null: it is not called. */
  readonly input: Readonly<Record<string, unknown>> | null;
  /** Whether a person has to approve it. */
  readonly asks: boolean;
  /** Why it is not made, for the model. */
  readonly refused?: string;
}

export interface ModelEntry {
  readonly kind: 'model';
  readonly text: string;
  readonly calls: readonly JudgedCall[];
  readonly usage: ChatUsage;
  readonly stop: ChatStop;
  readonly ms: number;
  /** It asked for more calls than the layer may make. */
  readonly isOverCalls?: boolean;
  /** The limit that was reached before it: it is the last answer. */
  readonly atLimit?: string;
}

export interface ApprovalEntry {
  readonly kind: 'approval';
  /** Position in the calls of the answer before. */
  readonly call: number;
  readonly tool: string;
  readonly decision: 'approve' | 'reject';
  readonly by: string | null;
  readonly comment: string | null;
  readonly at: string;
}

export interface ResultEntry {
  readonly kind: 'tool' | 'child';
  readonly call: number;
  readonly tool: string;
  readonly ok: boolean;
  /** What it gave; of a failed call `{ error: { code, message } }`. */
  readonly result: unknown;
  /** Of a flow. */
  readonly playId?: string;
  readonly ms: number;
}

export type Entry = ModelEntry | ApprovalEntry | ResultEntry;

/** An answer of the model, and what has come of its calls so far. */
export interface Turn {
  readonly model: ModelEntry;
  readonly approvals: readonly ApprovalEntry[];
  /** With the index of each among all entries. */
  readonly results: readonly (readonly [index: number, entry: ResultEntry])[];
}

export function turnsOf(before: readonly Output[]): readonly Turn[] {
  const turns: { model: ModelEntry; approvals: ApprovalEntry[]; results: [number, ResultEntry][] }[] = [];
  for (const [index, out] of before.entries()) {
    const entry = out as unknown as Entry;
    if (entry.kind === 'model') turns.push({ model: entry, approvals: [], results: [] });
    else if (entry.kind === 'approval') turns.at(-1)?.approvals.push(entry);
    else turns.at(-1)?.results.push([index, entry]);
  }
  return turns;
}

/** Positions of the calls of an answer that a person has yet to decide. */
export function undecided({ model, approvals }: Turn): number[] {
  return model.calls.flatMap(({ asks }, call) => (asks && !approvals.some((one) => one.call === call) ? [call] : []));
}

/** Positions of the calls that are made, in their order, once all are decided. */
export function madeCalls({ model, approvals }: Turn): number[] {
  const rejected = approvals.flatMap(({ call, decision }) => (decision === 'reject' ? [call] : []));
  return model.calls.flatMap(({ input }, call) => (input === null || rejected.includes(call) ? [] : [call]));
}
