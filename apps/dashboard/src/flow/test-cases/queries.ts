import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { flowKey } from '../queries';
import { caseOf, outputsOf, type CaseDraft } from './case-draft';

export type TestCase = components['schemas']['TestCase'];
export type TestRun = components['schemas']['TestRun'];
export type DryRun = components['schemas']['DryRun'];

export const casesKey = (flowId: string) => [...flowKey(flowId), 'test-cases'] as const;

/** All of them: a flow has at most 100. */
export const casesQuery = (flowId: string) =>
  queryOptions({
    queryKey: casesKey(flowId),
    queryFn: async () => {
      const params = { path: { flowId }, query: { size: 200 } };
      return (await answerOf(api.GET('/api/v1/flows/{flowId}/test-cases', { params }))).items;
    },
  });

export const lastDoneQuery = (flowId: string) =>
  queryOptions({
    queryKey: [...flowKey(flowId), 'last-done'],
    gcTime: 0,
    queryFn: async () => {
      const query = { flowId, state: ['DONE' as const], size: 20 };
      return (await answerOf(api.GET('/api/v1/plays', { params: { query } }))).items;
    },
  });

export function dryRun(flowId: string, body: Pick<CaseDraft, 'args' | 'fixtures'>): Promise<DryRun> {
  return answerOf(api.POST('/api/v1/flows/{flowId}/dry-run', { params: { path: { flowId } }, body }));
}

/** A layer that needs a fixture may hide another that needs one. */
const MAX_ROUNDS = 10;

/** What a play did, as a case of the flow as it is now. */
export async function caseFromPlay(flowId: string, playId: string): Promise<CaseDraft> {
  const path = { params: { path: { id: playId } } };
  const [play, layers] = await Promise.all([
    answerOf(api.GET('/api/v1/plays/{id}', path)),
    answerOf(api.GET('/api/v1/plays/{id}/layers', path)),
  ]);
  const outputs = outputsOf(layers);
  const outside = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { args, fixtures } = caseOf(play.args ?? {}, outputs, [...outside]);
    const { missingFixtures } = await dryRun(flowId, { args, fixtures });
    const before = outside.size;
    for (const ref of missingFixtures) outside.add(ref);
    if (outside.size === before) break;
  }
  return { name: '', required: false, ...caseOf(play.args ?? {}, outputs, [...outside]) };
}
