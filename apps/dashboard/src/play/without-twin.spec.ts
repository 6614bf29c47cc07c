import { expect, it } from 'vitest';
import { withoutTwin } from './without-twin';

it('an answer is shown once, parsed, unless its text says something else', () => {
  const out = { statusCode: 200, body: '{ "id": 7615917337495251231 }', json: { id: 7_615_917_337_495_251_231n } };
  expect(withoutTwin(out)).toEqual({ statusCode: 200, json: out.json });
  for (const other of [{ ...out, body: 'Not found' }, { ...out, json: null }, { ...out, body: '{}' }, 'text', null])
    expect(withoutTwin(other)).toBe(other);
});
