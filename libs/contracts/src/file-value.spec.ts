import { describe, expect, it } from 'vitest';
import { fileIdsIn, filePath } from './file-value.js';

const [ONE, TWO] = ['a'.repeat(24), 'b'.repeat(24)];

describe('fileIdsIn', () => {
  it('finds each file once, wherever it is', () => {
    const value = { list: [1, null, [{ $ref: filePath(ONE) }]], $ref: filePath(TWO), again: { $ref: filePath(ONE) } };
    expect([...fileIdsIn(value)].sort()).toEqual([ONE, TWO]);
  });

  it('makes no text of each position of a list, which costs more than to parse it', () => {
    const list = new Proxy([0, { $ref: filePath(ONE) }], {
      ownKeys: () => {
        throw new Error('its positions were listed');
      },
    });
    expect([...fileIdsIn({ list })]).toEqual([ONE]);
  });
});
