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
    .regex(/^[a-z]+$/, 'name has small letters'),
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
    const input = { name: 'ab', mode: null, tags: ['x'], free: { $a: 1 }, inner: { max: 2 }, isOn: true };
    expect(readDto(Body, input)).toEqual({ ok: true, dto: input });
  });

  it.each([
    [{}, 'name: name is required'],
    [{ name: 'abcdef' }, 'name: name must be a text of 1 to 5 characters'],
    [{ name: 'A' }, 'name: name has small letters'],
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
