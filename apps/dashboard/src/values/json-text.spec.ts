import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText, pairsText, readObject, readPairs } from './json-text';

describe('an object that somebody types', () => {
  it('is what the text says, and nothing typed is an empty one', () => {
    expect(readObject(' ')).toEqual({ value: {} });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const read = readObject(jsonText(value));
        expect('value' in read && jsonText(read.value)).toBe(jsonText(value));
      }),
    );
  });

  it('keeps every digit of an integer', () => {
    const text = '{\n  "id": 7615917337495251231\n}';
    const read = readObject(text);
    expect(jsonText('value' in read ? read.value : null)).toBe(text);
  });

  it.each(['[1]', 'null', '"text"', '{ "a": }'])('has a fault: %s', (text) => {
    expect(readObject(text)).toHaveProperty('fault');
  });
});

describe('labels that somebody types', () => {
  it('are one a line, with "=" after the key', () => {
    expect(readPairs('shop=eu\n\n order = A=1 ')).toEqual({ value: { shop: 'eu', order: 'A=1' } });
    expect(pairsText({ shop: 'eu', order: 'A=1' })).toBe('shop=eu\norder=A=1');
  });

  it('name the line that is none', () => {
    expect(readPairs('shop=eu\nnothing')).toEqual({ fault: '“nothing” is not of the form key=value' });
    expect(readPairs('=x')).toHaveProperty('fault');
  });
});
