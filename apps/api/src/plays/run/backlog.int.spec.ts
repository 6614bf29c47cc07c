import { Metrics } from '@weft/observability';
import type { Play } from '@weft/engine';
import { COMPANIES, type CompanyDocument } from '@weft/records';
import { FlowCache, PlayAcceptance } from '@weft/runs';
import { PLAYS } from '@weft/store';
import { aPlay, waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../../test/api/live-api.js';

// no worker runs: what is accepted stays
const { app, mongo, person } = await liveApi({ RUN_WINDOW: '2', RUN_BACKLOG_MAX: '3' });

async function flowOf(editor: Person, settings: object): Promise<string> {
  return textOf((await editor.send('POST', '/api/v1/flows', { body: { name: 'flow', settings } })).body.id);
}

/** Runs until one is refused; how many were accepted. */
async function fill(
  editor: Person,
  flowId: string,
): Promise<{ accepted: number; refusal: Awaited<ReturnType<Person['send']>> }> {
  let accepted = 0;
  const refusal = await waitFor(
    async () => {
      const answer = await editor.send('POST', `/api/v1/flows/${flowId}/run`);
      if (answer.status !== 202) return answer;
      accepted += 1;
      return accepted > 20 && answer;
    },
    { what: 'a refusal' },
  );
  return { accepted, refusal };
}

describe('the backlog of a company with a limit of its own', () => {
  it('is bounded by that limit, and no other company’s is', async () => {
    const editor = await person('flow_editor');
    const _id = editor.scope.companyId;
    await mongo.collection<CompanyDocument>(COMPANIES).updateOne({ _id }, { $set: { backlog_max: 1_000 } });
    const flowId = await flowOf(editor, {});
    const { accepted } = await fill(editor, flowId);
    expect(accepted).toBeGreaterThan(20);
    await mongo.collection<CompanyDocument>(COMPANIES).updateOne({ _id }, { $set: { backlog_max: 1 } });
    const isRefused = async () => (await editor.send('POST', `/api/v1/flows/${flowId}/run`)).status === 429;
    await waitFor(isRefused, { what: 'the lower limit to apply', withinMs: 30_000 });
  });
});

describe('the backlog of a company', () => {
  it.each([
    ['plays behind the window', {}],
    ['plays that wait for their admission', { concurrency: 2 }],
  ])('is bounded: %s', async (_what, settings) => {
    const editor = await person('flow_editor');
    const flowId = await flowOf(editor, settings);
    const { accepted, refusal } = await fill(editor, flowId);
    // two are rung or let in, three may wait; what is counted a moment later may add some
    expect(accepted).toBeGreaterThanOrEqual(3);
    expect(accepted).toBeLessThan(15);
    expect(refusal).toMatchObject({
      status: 429,
      headers: { 'retry-after': '5' },
      body: { code: 'backlog_full', retryable: true },
    });

    const batch = await editor.send('POST', `/api/v1/flows/${flowId}/run-batch`, { body: { runs: [{}, {}] } });
    expect(batch).toMatchObject({ status: 202 });
    expect(JSON.stringify(batch.body)).toContain('backlog_full');

    expect(await app.get(Metrics, { strict: false }).page()).toMatch(
      /^weft_runs_refused_total\{code="backlog_full"\} [3-9]/m,
    );

    const neighbour = await person('flow_editor');
    expect((await neighbour.send('POST', `/api/v1/flows/${await flowOf(neighbour, settings)}/run`)).status).toBe(202);
  });
});

describe('what rests of a company', () => {
  it('is bounded: no other run is accepted but those that it waits for', async () => {
    const editor = await person('flow_editor');
    const { scope } = editor;
    const plays = mongo.collection<Play>(PLAYS);
    const resting = (['WAIT', 'DEFERRED', 'ON_HOLD'] as const).flatMap((state) =>
      ['a', 'b', 'c'].map((id) => {
        const { heartbeatAt: _heartbeatAt, ...play } = aPlay({ companyId: scope.companyId, playId: `${state}-${id}` });
        return { ...play, state };
      }),
    );
    await plays.insertMany(resting, { ignoreUndefined: true });
    const flowId = await flowOf(editor, {});
    const { accepted, refusal } = await fill(editor, flowId);
    expect(accepted).toBeLessThanOrEqual(3);
    expect(refusal).toMatchObject({ status: 429, headers: { 'retry-after': '5' }, body: { code: 'backlog_full' } });
    expect(JSON.stringify(refusal.body)).toContain('9 plays of the company rest');

    const flow = await app.get(FlowCache, { strict: false }).get(scope, flowId);
    const parent = { flowId, first: 'WAIT-a', nth: 0, layer: 0, depth: 1 } as const;
    const child = { args: {}, trigger: 'flow', triggeredBy: null, parentPlayId: 'WAIT-a' } as const;
    const acceptance = app.get(PlayAcceptance, { strict: false });
    await expect(acceptance.accept(flow!, { ...child, parent })).rejects.toThrow('9 plays of the company rest');
    const awaited = await acceptance.accept(flow!, { ...child, parent: { ...parent, awaited: true } });
    expect(awaited.replayed).toBe(false);

    await plays.deleteOne({ _id: 'WAIT-b' });
    const isAccepted = async () => (await editor.send('POST', `/api/v1/flows/${flowId}/run`)).status === 202;
    await waitFor(isAccepted, { what: 'room for another run' });
  });
});
