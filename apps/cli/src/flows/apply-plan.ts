import { isWeftError, type Flow, type Weft } from '@weft/client';
import { EXIT, Exit } from '../io/exit.js';
import type { Step, StoredCase } from './plan.js';

const CASES = '/api/v1/flows/{flowId}/test-cases';
const CASE = '/api/v1/flows/{flowId}/test-cases/{caseId}';

export async function casesOf(weft: Weft, flowId: string): Promise<StoredCase[]> {
  const cases: StoredCase[] = [];
  for (let cursor: string | undefined; ;) {
    const { data, error } = await weft.api.GET(CASES, { params: { path: { flowId }, query: { cursor, size: 200 } } });
    if (!data) throw new Exit(EXIT.failed, error.detail);
    cases.push(...(data.items as unknown as StoredCase[]));
    if (data.nextCursor === null) return cases;
    cursor = data.nextCursor;
  }
}

/**
 * Makes the steps one after another. Each change of the flow names the version that it means, so that nobody else's change is
 * overwritten: what was made until then stays, and applying the document again makes the rest.
 */
export async function applySteps(weft: Weft, flow: Flow, steps: readonly Step[]): Promise<void> {
  let version = flow.version;
  try {
    for (const step of steps) {
      if (step.do.endsWith('case')) await applyCase(weft, flow.id, step);
      else {
        await applyChange(weft, flow.id, step, version);
        version += 1;
      }
    }
  } catch (error) {
    if (!isWeftError(error, 'version_conflict')) throw error;
    throw new Exit(
      EXIT.failed,
      'Somebody else has changed the flow meanwhile.',
      'Run the same command again: it shows what is left to do.',
    );
  }
}

async function applyChange(weft: Weft, flowId: string, step: Step, ifVersion: number): Promise<void> {
  if (step.do === 'change flow') await weft.flows.update(flowId, step.fields, { ifVersion });
  if (step.do === 'remove layer') await weft.layers.delete(flowId, step.id, { ifVersion });
  if (step.do === 'change layer') await weft.layers.update(flowId, step.id, step.fields, { ifVersion });
  if (step.do === 'add layer')
    await weft.layers.create(flowId, withoutNulls(step.layer) as unknown as Parameters<Weft['layers']['create']>[1], {
      ifVersion,
    });
  if (step.do === 'order layers') {
    const ids = new Map((await weft.layers.list(flowId)).map(({ ref, id }) => [ref, id]));
    await weft.layers.reorder(
      flowId,
      step.refs.map((ref) => ids.get(ref) ?? ref),
      { ifVersion },
    );
  }
}

async function applyCase({ api }: Weft, flowId: string, step: Step): Promise<void> {
  const one = step.do === 'remove case' || step.do === 'change case' ? { flowId, caseId: step.id } : null;
  const answer =
    step.do === 'add case'
      ? await api.POST(CASES, { params: { path: { flowId } }, body: step.fields })
      : step.do === 'change case' && one
        ? await api.PATCH(CASE, { params: { path: one }, body: step.fields })
        : one && (await api.DELETE(CASE, { params: { path: one } }));
  if (answer?.error) throw new Exit(EXIT.failed, answer.error.detail);
}

/** A field that is null in a document is one that is not given at a creation. */
function withoutNulls(fields: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
