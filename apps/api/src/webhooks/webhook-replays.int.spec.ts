import type { ReplayDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf } from '../../../../test/api/live-api.js';

const { mongo, person } = await liveApi();
const replays = mongo.collection<ReplayDocument>('webhook_replays');

describe('replays of a time', () => {
  it('that run at once are at most ten in a company, whichever of its webhooks they are of', async () => {
    const [admin, other] = [await person('admin'), await person('admin')];
    const body = { name: 'spec', url: 'http://127.0.0.1:9/', events: ['play.done'] };
    const newReplay = async (by = admin) => {
      const { id } = (await by.send('POST', '/api/v1/webhooks', { body })).body;
      const time = { since: '2026-11-01T00:00:00Z', until: '2026-11-02T00:00:00Z', only: 'failed' };
      return by.send('POST', `/api/v1/webhooks/${textOf(id)}/replay`, { body: time });
    };
    const answers = await Promise.all(Array.from({ length: 12 }, () => newReplay()));
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused).toHaveLength(2);
    for (const { status, body: problem, headers } of refused) {
      expect([status, textOf(problem.code)]).toEqual([429, 'too_many_bulks']);
      expect(headers['retry-after']).toBe('5');
    }
    expect(await replays.countDocuments({ company_id: admin.scope.companyId })).toBe(10);
    expect((await newReplay(other)).status).toBe(202);
    await replays.updateOne({ company_id: admin.scope.companyId }, { $set: { state: 'done' } });
    expect((await newReplay()).status).toBe(202);
  });
});
