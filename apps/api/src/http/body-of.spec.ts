import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bodyOf } from './body-of.js';
import { FlagField } from './fields.js';
import { readDto } from './read-dto.js';

const shape = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(5)
    .regex(/^[a-z]+$/, 'has small letters'),
  text: z.string().max(3).optional(),
  codes: z.array(z.string().regex(/^\d+$/, 'must be digits')).max(2).optional(),
  ids: z.array(z.string()).max(2).optional(),
  modes: z.array(z.enum(['a', 'b'])).optional(),
  waits: z.array(z.int().min(0).max(5)).max(2).optional(),
  words: z.record(z.string(), z.string().max(3)).meta({ maxProperties: 2 }).nullable().optional(),
  delayMs: z.int().min(0).max(10).default(1),
  mode: z.enum(['a', 'b']).nullable().optional(),
  tags: z.array(z.string().regex(/^\w+$/)).max(2).optional(),
  free: z.record(z.string(), z.unknown()).optional(),
  inner: z
    .strictObject({ max: z.int().min(1).max(3) })
    .transform(({ max }) => max)
    .optional(),
});
class Base {
  @FlagField({ description: 'Of the base.', optional: true })
  readonly isOn?: boolean;
}
class Body extends bodyOf(shape, Base) {}

const messagesOf = (input: object) => {
  const read = readDto(Body, input);
  return read.ok ? [] : read.errors.map(({ path, message }) => `${path}: ${message}`);
};

describe('a request class of a shape', () => {
  it('takes what the shape takes, and leaves it as it is written', () => {
    const input = {
      name: 'ab',
      mode: null,
      tags: ['x'],
      ids: ['1'],
      modes: ['b'],
      waits: [5],
      words: null,
      free: { $a: 1 },
      inner: { max: 2 },
      isOn: true,
    };
    expect(readDto(Body, input)).toEqual({ ok: true, dto: input });
  });

  it.each([
    [{}, 'name: name is required'],
    [{ name: 'abcdef' }, 'name: name must be a text of 1 to 5 characters'],
    [{ name: 'A' }, 'name: name has small letters'],
    [{ name: 'a', text: '❤️❤️' }, 'text: text must be a text of at most 3 characters'],
    [{ name: 'a', codes: ['x'] }, 'codes: each of codes must be digits'],
    [{ name: 'a', modes: [] }, 'modes: modes must contain at least 1 elements'],
    [{ name: 'a', waits: [9] }, 'waits: each value in waits must not be greater than 5'],
    [{ name: 'a', words: { a: 'long' } }, 'words: words has at most 2 entries, each a text of at most 3 characters'],
    [{ name: 'a', delayMs: 11 }, 'delayMs: delayMs must be an integer number of milliseconds from 0 to 10'],
    [{ name: 'a', mode: 'c' }, 'mode: mode must be one of "a", "b"'],
    [{ name: 'a', tags: ['1', '2', '3'] }, 'tags: tags must contain no more than 2 elements'],
    [{ name: 'a', inner: { max: 4 } }, 'inner.max: max must be an integer number from 1 to 3'],
    [{ name: 'a', inner: { min: 1, max: 1 } }, 'inner.min: inner.min is not a field of this operation (there are max)'],
    [{ name: 'a', isOn: 'yes' }, 'isOn: isOn must be true or false'],
  ])('refuses %j in the words of its field', (input, message) => {
    expect(messagesOf(input)).toContainEqual(message);
  });

  it('is not made of a shape with a field that no decorator is for', () => {
    expect(() => bodyOf(z.strictObject({ at: z.any() }))).toThrow('no decorator for the field at');
  });
});
