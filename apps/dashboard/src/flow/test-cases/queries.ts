import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { flowKey } from '../queries';
import { caseOf, outputsOf, replayOf, type CaseDraft } from './case-draft';

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

/** As a test case runs: with its own fixtures alone. */
export function dryRun(flowId: string, given: Pick<CaseDraft, 'args' | 'fixtures'>): Promise<DryRun> {
  const body = { ...given, samples: false };
  return answerOf(api.POST('/api/v1/flows/{flowId}/dry-run', { params: { path: { flowId } }, body }));
}

/** A layer that needs a fixture may hide another that needs one. */
const MAX_ROUNDS = 10;

/** A new case of the flow as it is now, with the samples of what reaches outside as its fixtures. */
export async function caseFromSamples(flowId: string): Promise<CaseDraft> {
  const { items } = await answerOf(api.GET('/api/v1/flows/{flowId}/samples', { params: { path: { flowId } } }));
  const outputs = new Map(items.map(({ ref, out }) => [ref, out]));
  return { ...NEW_CASE, ...(await withFixtures(flowId, {}, outputs)), expected: {} };
}

export const NEW_CASE: CaseDraft = { name: '', required: false, args: {}, fixtures: {}, expected: {} };

/** What a play did, as a case of the flow as it is now. */
export async function caseFromPlay(flowId: string, playId: string): Promise<CaseDraft> {
  const path = { params: { path: { id: playId } } };
  const [play, layers] = await Promise.all([
    answerOf(api.GET('/api/v1/plays/{id}', path)),
    answerOf(api.GET('/api/v1/plays/{id}/layers', path)),
  ]);
  const outputs = new Map(outputsOf(layers));
  const replayed = new Map<string, unknown>();
  for (const { ref, appId, out } of layers) {
    if (appId !== 'agent' || !outputs.has(ref)) continue;
    const replay = replayOf(await stepsOf(playId, ref));
    if (!replay) continue;
    outputs.set(ref, replay);
    const { text, value, stop } = out as Readonly<Record<string, unknown>>;
    replayed.set(ref, { text, value, stop });
  }
  return { ...NEW_CASE, ...(await withFixtures(flowId, play.args ?? {}, outputs, replayed)) };
}

/** All that an agent did, as it is stored. */
async function stepsOf(playId: string, ref: string): Promise<readonly unknown[]> {
  const steps: unknown[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const params = { path: { id: playId, ref }, query: { size: 200, ...(cursor !== undefined && { cursor }) } };
    const page = await answerOf(api.GET('/api/v1/plays/{id}/layers/{ref}/items', { params }));
    steps.push(...page.items.map(({ out }) => out));
    cursor = page.nextCursor;
  }
  return steps;
}

/** A case that plays back what reaches outside: a dry run says what does. */
async function withFixtures(
  flowId: string,
  given: CaseDraft['args'],
  outputs: ReadonlyMap<string, unknown>,
  replayed?: ReadonlyMap<string, unknown>,
) {
  const outside = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS && outputs.size > 0; round += 1) {
    const { args, fixtures } = caseOf(given, outputs, [...outside]);
    const { missingFixtures } = await dryRun(flowId, { args, fixtures });
    const before = outside.size;
    for (const ref of missingFixtures) outside.add(ref);
    if (outside.size === before) break;
  }
  return caseOf(given, outputs, [...outside], replayed);
}
