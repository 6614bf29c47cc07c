import { expect, it } from 'vitest';
import { withJsonOfBody, withoutTwin } from './without-twin';

it('an answer is shown once, parsed, unless its text says something else', () => {
  const out = { statusCode: 200, body: '{ "id": 7615917337495251231 }', json: { id: 7_615_917_337_495_251_231n } };
  expect(withoutTwin(out)).toEqual({ statusCode: 200, json: out.json });
  for (const other of [{ ...out, body: 'Not found' }, { ...out, json: null }, { ...out, body: '{}' }, 'text', null])
    expect(withoutTwin(other)).toBe(other);
});

it('the beginning of an answer has the first rows of its json, which is cut off behind its body', () => {
  const start = { statusCode: 200, body: '{"rows":[{"id":1},{"id":2},{"i' };
  expect(withJsonOfBody(start)).toEqual({ statusCode: 200, json: { rows: [{ id: 1 }, { id: 2 }, {}] } });
  for (const other of [{ ...start, json: null }, { body: 'Not found' }, { body: '{"a" 1,2' }, 'text', null])
    expect(withJsonOfBody(other)).toBe(other);
});
