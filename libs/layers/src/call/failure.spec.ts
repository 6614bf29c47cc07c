import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LayerFailure } from '../layer-module.js';
import { toLayerFailure, internalCause, invalidArgs } from './failure.js';
import { ItemFailure } from '../loops/item-attempts.js';

describe('a fault of this program', () => {
  const fault = new TypeError("Cannot read properties of undefined (reading 'secret')");

  it('says nothing of itself in the play, alone or in a loop', () => {
    for (const failure of [toLayerFailure(fault), new ItemFailure('item', 3, 1, toLayerFailure(fault))]) {
      expect(failure.code).toBe('internal');
      expect(failure.message).toMatch(/^(item 3: )?The layer stopped at a fault that is not its own\.$/);
      expect(internalCause(failure)).toBe(fault);
    }
  });

  it('is not what a layer fails with by itself', () => {
    const failure = new LayerFailure('timeout', 'too slow', undefined, { cause: fault });
    expect(toLayerFailure(failure)).toBe(failure);
    expect(internalCause(failure)).toBeUndefined();
  });
});

describe('arguments that do not fit', () => {
  it('are told of in one line of bounded length, and the others are counted', () => {
    const args = z.strictObject({ list: z.array(z.string()) });
    const value = { list: Array.from({ length: 100_000 }, () => 1), ['x'.repeat(9_999)]: 1 };
    const { error } = args.safeParse(value);
    const { message } = invalidArgs(error as z.ZodError, args, value);
    expect(message).toContain('list.0 must be a text, not 1; ');
    expect(message).toMatch(/; and 99991 more$/);
    expect(message.length).toBeLessThan(4_000);
  });
});
