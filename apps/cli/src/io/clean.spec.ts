import { describe, expect, it } from 'vitest';
import { clean, cleanLines, padTo, shorten, toJson, widthOf, word } from './clean.js';

const EVIL = 'a\u001b]0;title\u0007b\r\nc\u009b2J\u202ed\u2028';

describe('texts of data', () => {
  it('are one line that obeys nothing', () => {
    expect(clean(EVIL)).toBe('a\\u001b]0;title\\u0007b\\u000d\\u000ac\\u009b2J\\u202ed\\u2028');
    expect(clean('Grün – 日本 ✓')).toBe('Grün – 日本 ✓');
  });

  it('are the same value in JSON', () => {
    for (const indent of [undefined, 2]) {
      const text = toJson({ [EVIL]: [EVIL, 1, null] }, indent);
      expect(JSON.parse(text)).toEqual({ [EVIL]: [EVIL, 1, null] });
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/);
    }
    expect(toJson(undefined)).toBe('null');
    expect(toJson({ id: 7_615_917_337_495_251_231n })).toBe('{"id":7615917337495251231}');
  });

  it('keep colours, tabs and line ends in what a command writes, and nothing else', () => {
    expect(cleanLines('\u001b[31mred\u001b[0m\tx\ny\u001b[2Jz')).toBe('\u001b[31mred\u001b[0m\tx\ny\\u001b[2Jz');
    expect(shorten('abcdef', 4)).toBe('abc…');
  });

  it('have the width that they have on a terminal', () => {
    expect(['abc', '日本', 'e\u0301', '✓', '🎉'].map(widthOf)).toEqual([3, 4, 1, 1, 2]);
    expect(shorten('日本語', 4)).toBe('日…');
    expect(padTo('日本', 6)).toBe('日本  ');
  });

  it('are one word of a command that somebody copies', () => {
    expect(word('06dqx3v8k2m7w0r5t9ya')).toBe('06dqx3v8k2m7w0r5t9ya');
    for (const evil of ['x; rm -rf ~', '$(reboot)', '-f', 'a b', 'a\nb', '']) expect(word(evil)).toMatch(/^'.*'$/);
    expect(word(`it's`)).toBe(`'it'\\''s'`);
  });
});
