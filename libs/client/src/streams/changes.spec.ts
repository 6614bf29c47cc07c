import { describe, expect, it } from 'vitest';
import { Weft } from '../weft.js';

const change = (n: number) => JSON.stringify({ cursor: `c${n}`, playId: 'p', seq: n, type: 'layer_start' });
const expired = (cursor?: unknown) =>
  new Response(JSON.stringify({ code: 'cursor_expired', detail: 'gone', errors: [], cursor }), { status: 410 });

/** A client whose server gives these answers one after another, and then fails the test. */
function following(...answers: Response[]) {
  const cursors: (string | null)[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    cursors.push(new URL(request.url).searchParams.get('cursor'));
    return answers.shift() ?? new Response('{"code":"denied","detail":"end","errors":[]}', { status: 403 });
  };
  return { cursors, weft: new Weft({ url: 'https://weft.test', token: 'k', fetch }) };
}

describe('following the changes', () => {
  it('goes on after a gap at the place that the server says', async () => {
    const { cursors, weft } = following(expired('c5'), new Response(`${change(6)}\n`));
    const gaps: string[] = [];
    const follow = weft.changes.follow({ cursor: 'c1', onGap: (cursor) => gaps.push(cursor) });
    expect((await follow.next()).value).toMatchObject({ cursor: 'c6' });
    expect(gaps).toEqual(['c5']);
    expect(cursors).toEqual(['c1', 'c5']);
  });

  it.each([undefined, 7, 'c1'])('ends with the error when the place after a gap is %j', async (cursor) => {
    const { cursors, weft } = following(expired(cursor));
    const follow = weft.changes.follow({ cursor: 'c1', onGap: () => undefined });
    await expect(follow.next()).rejects.toMatchObject({ code: 'cursor_expired' });
    expect(cursors).toEqual(['c1']);
  });

  it('gives integers with every digit to a client that asks for them', async () => {
    const line = '{"cursor":"c1","playId":"p","seq":1,"data":{"out":7615917337495251231}}\n';
    const fetch = async () => new Response(line);
    const { changes } = new Weft({ url: 'https://weft.test', token: 'k', fetch, bigIntegers: true });
    expect((await changes.follow().next()).value).toMatchObject({ data: { out: 7_615_917_337_495_251_231n } });
  });

  it.each(['<html>', '[]', 'null', '{"cursor":1}'])('ends with `unreadable` when a line is %s', async (line) => {
    const { weft } = following(new Response(`${line}\n`));
    await expect(weft.changes.follow().next()).rejects.toMatchObject({ code: 'unreadable' });
  });
});
