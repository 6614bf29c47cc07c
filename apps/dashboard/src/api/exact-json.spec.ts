import { expect, it } from 'vitest';
import { withExactJson } from './exact-json';

const TEXT = '{"args":{"id":7615917337495251231}}';

it.each<Record<string, string>>([{ 'content-length': String(TEXT.length) }, {}])(
  'an answer keeps every digit: headers %j',
  async (headers) => {
    const answer = withExactJson(new Response(TEXT, { headers }));
    // by this openapi-fetch decides to ask for `json()`
    expect(answer.headers.get('content-length')).not.toBeNull();
    const value: unknown = await answer.json();
    expect(value).toEqual({ args: { id: 7_615_917_337_495_251_231n } });
    expect(JSON.stringify(value)).toBe(TEXT);
  },
);

it('an empty answer is none', async () => {
  expect(await withExactJson(new Response('')).json()).toBeUndefined();
});
