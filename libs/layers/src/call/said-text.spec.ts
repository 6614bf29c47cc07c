import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SaidText } from './said-text.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function sayer(isHeard: () => boolean = () => true) {
  const sent: string[] = [];
  const said = new SaidText(2, ({ answer, at, text }) => {
    if (isHeard()) sent.push(`${answer} ${at} ${text}`);
    return isHeard();
  });
  return { said, sent };
}

describe('what a layer says', () => {
  it('is sent four times a second, each piece once', () => {
    const { said, sent } = sayer();
    for (let ms = 0; ms < 1_000; ms += 50) {
      said.add(String(ms / 50).padStart(2, '0'));
      vi.advanceTimersByTime(50);
    }
    expect(sent).toEqual(['2 0 0001020304', '2 10 0506070809', '2 20 1011121314', '2 30 1516171819']);
  });

  it('is kept while nobody listens, but for the end no more than 16,000 characters', () => {
    let isHeard = false;
    const { said, sent } = sayer(() => isHeard);
    said.add('a'.repeat(10_000));
    vi.advanceTimersByTime(250);
    said.add('b'.repeat(10_000));
    vi.advanceTimersByTime(250);
    isHeard = true;
    said.add('c');
    vi.advanceTimersByTime(250);
    expect(sent).toEqual([`2 4001 ${'a'.repeat(5_999)}${'b'.repeat(10_000)}c`]);
  });

  it('is not cut within a character, and not sent after its end', () => {
    const { said, sent } = sayer();
    said.add('a\u{1f600}'.slice(0, 2));
    vi.advanceTimersByTime(250);
    said.add('\u{1f600}'.slice(1));
    vi.advanceTimersByTime(250);
    said.add('late');
    said.end();
    said.add('later');
    vi.advanceTimersByTime(1_000);
    expect(sent).toEqual(['2 0 a', '2 1 \u{1f600}']);
  });
});
