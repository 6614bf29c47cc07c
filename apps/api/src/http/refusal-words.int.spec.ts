import { describe, expect, it } from 'vitest';
import { liveApi, textOf } from '../../../../test/api/live-api.js';

const { person } = await liveApi();
const editor = await person('flow_editor');
const flowId = textOf((await editor.send('POST', '/api/v1/flows', { body: { name: 'flow' } })).body.id);

async function detailOf(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return (await editor.send(method, `/api/v1/${path}`, sent)).body.detail;
}

const layer = (fields: object) => ({ ref: 'a', appId: 'text-template', args: { template: 'x' }, ...fields });
const layers = `flows/${flowId}/layers`;
const run = `flows/${flowId}/run`;

describe('a refusal', () => {
  it.each<[string, unknown, string]>([
    [run, { wait: true }, 'wait must be an integer number of milliseconds from 0 to 30000.'],
    [run, { wait: 99_999 }, 'wait must be an integer number of milliseconds from 0 to 30000.'],
    [run, [], 'the body must be a JSON object.'],
    [layers, layer({ retry: 3 }), 'retry must be an object such as { "attempts": 3 }.'],
    [layers, layer({ retry: { attempts: 99 } }), 'attempts must be an integer number from 1 to 20.'],
    [layers, layer({ timeoutMs: 0 }), 'timeoutMs must be an integer number of milliseconds from 1 to 86400000.'],
    [layers, layer({ onError: 'ignore' }), 'onError must be one of "fail", "continue".'],
    [layers, layer({ name: '' }), 'name must be a text of 1 to 200 characters.'],
    [
      layers,
      layer({ appId: 'web-request', args: { uri: 'x' } }),
      'args.url is required; did you mean url instead of uri?',
    ],
    ['plays/bulk', { action: 'cancel', ids: 'x' }, 'ids must be a list of at most'],
  ])('of POST %s %j says what is expected', async (path, body, detail) => {
    expect(await detailOf('POST', path, body)).toContain(detail);
  });

  it.each([' ', '\t', '\u200b', '\u00a0\ufeff', 'a\u0000b', 'a\nb', '\u2060\u3164', '\u2800\u115f', '\ufe0f\uffa0'])(
    'of the name %j says that nobody can read it',
    async (name) => {
      const detail = 'name must be in one line, and have a character that can be seen.';
      for (const path of ['flows', 'flow-groups', `flows/${flowId}/test-cases`]) {
        expect([path, await detailOf('POST', path, { name })]).toEqual([path, detail]);
      }
      expect(await detailOf('POST', 'flows/import', { document: { schema: 'weft.flow/1', name } })).toContain(
        'must be in one line',
      );
    },
  );

  it.each(['a', ' a ', '-', '日本', '👩🏽‍🚒', 'é', 'ﷺ', 'Straße 7 · Nord'])('is not made of the name %j', async (name) => {
    const { status, body } = await editor.send('POST', '/api/v1/flows', { body: { name } });
    expect([status, body.name]).toEqual([201, name]);
  });

  it('of an unknown name says what there is', async () => {
    expect(await detailOf('POST', run, { xyzzy: 1 })).toMatch(
      /^xyzzy is not a field of this operation \(there are .*args/,
    );
    expect(await detailOf('GET', 'plays?xyzzy=1')).toMatch(/\(there are .*state/);
  });

  it('of a repeated parameter says that it takes one value; choices may be repeated', async () => {
    expect(await detailOf('GET', 'plays?state=DONE&state=FAIL')).toBeUndefined();
    expect(await detailOf('GET', 'plays?state=DONE&state=GONE')).toMatch(/^state must be one of/);
    expect(await detailOf('GET', 'plays?size=1&size=2')).toBe('size must be given once.');
    expect(await detailOf('GET', 'plays?state=GONE')).toMatch(/^state must be one of "NEW".*; several with commas/);
  });
});
