import { expect, it } from 'vitest';
import { z } from 'zod';
import { issueTexts } from './issue-text.js';

function messagesOf(schema: z.ZodType, value: unknown): readonly string[] {
  const issues = schema.safeParse(value).error?.issues ?? [];
  return issues.flatMap((issue) => issueTexts(issue, { schema, value, root: 'args' })).map(({ message }) => message);
}

it('says which pattern a text of the right length does not match', () => {
  const schema = z.object({
    code: z
      .string()
      .max(3)
      .regex(/^[A-Z]+$/),
  });
  expect(messagesOf(schema, { code: 'eur' })).toEqual(['args.code: Invalid string: must match pattern /^[A-Z]+$/']);
  expect(messagesOf(schema, { code: 'EURO' })).toEqual(['args.code must be a text of at most 3 characters']);
});

it('knows the fields of an object that may also be null', () => {
  const mail = z.strictObject({ from: z.string(), form: z.string().optional() });
  const schema = z.object({ mail: mail.nullable() });
  expect(messagesOf(schema, { mail: { form: 'short' } })).toEqual(['args.mail.from is required']);
  expect(messagesOf(schema, { mail: { from: 'a', frm: 'b' } })).toEqual([
    'args.mail.frm does not exist; did you mean from or form?',
  ]);
});

it('goes on after the place of a field with what a shape says of it, and puts a colon before what a module says', () => {
  const schema = z.object({
    ref: z.string().regex(/^[a-z]+$/, 'must be small letters'),
    at: z.string().regex(/^\d+$/, 'expected digits'),
  });
  expect(messagesOf(schema, { ref: '1', at: 'a' })).toEqual([
    'args.ref must be small letters',
    'args.at: expected digits',
  ]);
});
