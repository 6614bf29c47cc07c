import type { LayerWait, Play } from '@weft/engine';
import { PLAYS } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../test/api/live-api.js';
import { parkedAt, storedFlow, storedPlays } from '../../../../test/api/stored-play.js';

const { mongo, person } = await liveApi();
const editor = await person('flow_editor');
const { companyId } = editor.scope;
const [admin, viewer] = [await person('admin', companyId), await person('viewer', companyId)];
const stranger = await person('admin');
const plays = mongo.collection<Play>(PLAYS);
const flowId = await storedFlow(mongo, editor, { ok: 'approval', second: 'approval' }, { name: 'Payments' });
const approval = { message: 'Pay 7?', approvers: [] as readonly string[], onTimeout: 'fail' } as const;

const asked = (approvers: readonly string[] = [], fields: Partial<Play> = {}, flow = flowId): Promise<Play> =>
  storedPlays(mongo, editor)(flow, {
    ...parkedAt({ position: 0, ref: 'ok', kind: 'approval', approval: { ...approval, approvers } }),
    ...fields,
  });
const inbox = async (by: Person, query = '') => (await by.send('GET', `/api/v1/approvals${query}`)).body;
const shown = async (by: Person, query = '') =>
  Object.values((await inbox(by, query)).items ?? {}).map(({ playId, ref }) => `${textOf(playId)} ${textOf(ref)}`);

describe('the inbox of approvals', () => {
  it('has what plays wait for now, newest first, of flows that the caller may read; mine is what the caller decides', async () => {
    const anybody = await asked();
    const named = await asked([viewer.userId]);
    const hiddenFlow = await storedFlow(mongo, admin, { ok: 'approval' }, { name: 'Hidden', restricted: true });
    const hidden = await asked([viewer.userId], {}, hiddenFlow);
    const answered = await asked();
    await plays.updateOne({ _id: answered._id }, { $set: { inbox: { 0: { decision: 'approve' } } } });
    for (const over of [{ state: 'FAIL' }, { state: 'ON_HOLD', held: 'WAIT' }] as const) await asked([], over);
    const waits: LayerWait = { position: 0, ref: 'e', kind: 'event', since: new Date(), until: null };
    await asked([], { waits: { 0: { ...waits, event: { name: 'paid', key: null } } } });

    const of = (...some: readonly Play[]) => some.map(({ _id }) => `${_id} ok`);
    expect(await shown(admin)).toEqual(of(hidden, named, anybody));
    expect(await shown(admin, '?mine=true')).toEqual(of(hidden, named, anybody));
    expect(await shown(editor)).toEqual(of(named, anybody));
    expect(await shown(editor, '?mine=true')).toEqual(of(anybody));
    expect(await shown(viewer, '?mine=true')).toEqual(of(named));
    expect(await shown(stranger)).toEqual([]);
    const list = await inbox(viewer);
    expect(list).toMatchObject({ total: 2, totalCapped: false, nextCursor: null, page: 0, size: 50 });
    expect(list.items?.[0]).toEqual({
      ...{
        playId: named._id,
        flowId,
        flowName: 'Payments',
        ref: 'ok',
        step: null,
        message: 'Pay 7?',
        link: 'signed_in',
      },
      ...{ approvers: [viewer.userId], onTimeout: 'fail', until: null, mayDecide: true },
      since: named.waits?.[0]?.since.toISOString(),
    });
    expect(list.items?.[1]).toMatchObject({ mayDecide: false });
  });

  it('is read page by page, also within a play that asks twice', async () => {
    const own = await person('flow_editor');
    const flow = await storedFlow(mongo, own, { ok: 'approval', second: 'approval' });
    const store = storedPlays(mongo, own);
    const since = new Date();
    const wait = (position: number, ref: string) =>
      ({ position, ref, kind: 'approval', since, until: null, approval }) as const;
    const two = { state: 'WAIT', waits: { 0: wait(0, 'ok'), 1: wait(1, 'second') } } as const;
    const [first, second] = [await store(flow, two), await store(flow, two)];
    const seen: string[] = [];
    let query = '?size=1&mine=true';
    for (let i = 0; i < 4; i += 1) {
      const page = await inbox(own, query);
      expect(page).toMatchObject({ total: 4, page: i });
      seen.push(...Object.values(page.items ?? {}).map(({ playId, ref }) => `${textOf(playId)} ${textOf(ref)}`));
      query = `?size=1&mine=true&cursor=${textOf(page.nextCursor)}`;
    }
    expect(seen).toEqual([second, first].flatMap(({ _id }) => [`${_id} ok`, `${_id} second`]));
    expect(await shown(own, '?page=1&size=3')).toEqual(seen.slice(3));
    for (const wrong of ['?cursor=x', '?mine=false', '?state=WAIT']) {
      expect((await own.send('GET', `/api/v1/approvals${wrong}`)).status, wrong).toBe(400);
    }
  });
});
