import { outOf } from '@weft/engine';
import { describe, expect, it } from 'vitest';
import { peerWith, resultOf } from '../loops/series.fixture.js';

const ID = '7615917337495251231';

async function sent(layerArgs: object) {
  const peer = peerWith({
    layer: { args: { url: 'https://api.example.com/orders', method: 'POST', ...layerArgs } },
    play: { args: { id: BigInt(ID), list: [BigInt(ID)] } },
    answer: () => ({ body: `{"order":{"id":${ID}}}` }),
  });
  const end = await peer.run();
  return { end, request: peer.requests[0], result: resultOf(end) };
}

describe('an integer with more digits than a number has', () => {
  it('is passed on by a path: as a number in JSON, as its digits in texts, and is a text for programs', async () => {
    const { request } = await sent({
      headers: { 'X-Id': '{{ $prev.args.id }}' },
      query: { id: '{{ $prev.args.id }}', ids: '{{ $prev.args.list }}', page: 1 },
      body: {
        id: '{{ $prev.args.id }}',
        list: '{{ $prev.args.list }}',
        text: 'no. {{ $prev.args.id }}',
        computed: '{{ $prev.args.id & "!" }}',
      },
    });
    expect(request?.body).toBe(`{"id":${ID},"list":[${ID}],"text":"no. ${ID}","computed":"${ID}!"}`);
    expect(request?.headers).toMatchObject({ 'X-Id': ID });
    expect(new URL(request?.url ?? '').search).toBe(`?id=${ID}&ids=${ID}&page=1`);
  });

  it.each([
    ['as a form', 'form', `id=${ID}`],
    ['as a text', 'text', ID],
  ])('is its digits %s', async (_how, bodyType, body) => {
    const value = bodyType === 'form' ? { id: '{{ $prev.args.id }}' } : '{{ $prev.args.id }}';
    expect((await sent({ bodyType, body: value })).request?.body).toBe(body);
  });

  it('is in the output of who reads it later', async () => {
    const { result, end } = await sent({});
    expect(result).toMatchObject({ state: 'DONE', jsonFrom: 'body' });
    expect(JSON.stringify(result.out)).not.toContain('"json"');
    expect(outOf(result)).toEqual(end.out);
    expect(outOf(result)).toMatchObject({ json: { order: { id: BigInt(ID) } } });
  });
});
