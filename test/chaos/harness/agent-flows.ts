/** Flows with agents for fault tests: what their models answer, and what has to come of it. */
import { outOf, type Play } from '@weft/engine';
import type { ApiClient, ModelRequest, ScriptedAnswer } from '@weft/testing';

const RETRY = { attempts: 8, backoff: 'fixed', delayMs: 200, maxDelayMs: 1_000 };
/** Of the limited agent: its model would go on for ever. */
const MOST_CALLS = 5;

/** What an agent does: answers of its model that ask for calls, and calls of each. */
interface Shape {
  readonly kind: 'plain' | 'approved' | 'limited';
  readonly turns: number;
  readonly calls: number;
}

/** Of up to 20 steps, by the number of the play. */
const SHAPES: readonly Shape[] = [
  { kind: 'plain', turns: 4, calls: 2 },
  { kind: 'plain', turns: 9, calls: 1 },
  { kind: 'approved', turns: 2, calls: 2 },
  { kind: 'plain', turns: 4, calls: 3 },
  // reached within the third answer, of whose calls one is made
  { kind: 'limited', turns: 3, calls: 2 },
];

export const shapeOf = (n: number): Shape => SHAPES[n % SHAPES.length] as Shape;

/** Calls that an agent makes. */
export function callsOf(n: number): number {
  const { kind, turns, calls } = shapeOf(n);
  return kind === 'limited' ? MOST_CALLS : turns * calls;
}

/** Requests to its model, if none is made twice. */
export const requestsOf = (n: number): number => shapeOf(n).turns + 1;

export function answerOf({ input, turn, mayCall }: ModelRequest): ScriptedAnswer {
  const n = Number(input);
  const { kind, turns, calls } = shapeOf(n);
  if (!mayCall || (kind !== 'limited' && turn === turns)) return { text: 'Done.', everyMs: 10 };
  const asked = Array.from({ length: calls }, (_, i) => ({ name: 'task', arguments: { n, i: turn * calls + i } }));
  return { calls: asked, everyMs: 10 };
}

export interface AgentFlows {
  readonly ids: Readonly<Record<Shape['kind'], string>>;
  readonly taskId: string;
}

export async function agentFlows(admin: ApiClient, ledgerUrl: string, providerUrl: string): Promise<AgentFlows> {
  const body = { n: '{{ $prev.args.n }}', i: '{{ $prev.args.i }}' };
  const args = { url: `${ledgerUrl}/task`, method: 'POST', body };
  const task = await admin.createFlow({ layers: [{ ref: 'call', appId: 'web-request', args, retry: RETRY }] });
  const link = { type: 'openai', name: 'Model', endpoint: providerUrl, access_token: 'key-of-the-model' };
  const { id: integrationId } = await admin.must<{ id: string }>(201, 'POST', '/api/v1/integrations', link);
  const made = async (tool: object, more: object): Promise<string> => {
    const tools = [{ kind: 'flow', flowId: task.id, name: 'task', parallel: true, ...tool }];
    const of = { integrationId, model: 'm', instructions: 'Open tasks.', input: '{{ "" & $prev.args.n }}', tools };
    const layer = { ref: 'agent', appId: 'agent', args: { ...of, ...more }, retry: RETRY };
    return (await admin.createFlow({ layers: [layer] })).id;
  };
  const ids = {
    plain: await made({}, {}),
    approved: await made({ approve: 'always' }, {}),
    limited: await made({}, { limits: { toolCalls: MOST_CALLS }, onLimit: 'answer' }),
  };
  return { ids, taskId: task.id };
}

interface Output {
  readonly text: string;
  readonly stop: string;
  readonly usage: { readonly calls: number };
  readonly steps: readonly { readonly kind: string; readonly ok: boolean; readonly refused?: string }[];
}

/** What a play of an agent has otherwise than its model says. */
export function outputFaults({ _id, args, layers }: Play): string[] {
  const n = Number(args.n);
  const { kind, turns } = shapeOf(n);
  const out = layers[0] && (outOf(layers[0]) as Output);
  const count = (of: string) => out?.steps.filter((step) => step.kind === of && step.ok).length;
  const isRight =
    out?.text === 'Done.' &&
    out.stop === (kind === 'limited' ? 'limit_tool_calls' : 'end') &&
    out.usage.calls === callsOf(n) &&
    count('model') === turns + 1 &&
    count('child') === callsOf(n) &&
    count('approval') === (kind === 'approved' ? callsOf(n) : 0) &&
    out.steps.every(({ ok, refused }) => ok || refused !== undefined);
  return isRight ? [] : [`${_id} (${kind} ${n}) gave ${JSON.stringify(out)}`];
}
