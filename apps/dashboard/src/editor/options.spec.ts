import { describe, expect, it } from 'vitest';
import { aDraft } from './draft.fixture';
import { OPTION_FIELDS, optionOf, optionWords, withOption } from './options';

describe('the options of a layer', () => {
  it('are left out where they say what holds anyway', () => {
    const plain = aDraft('a');
    expect(OPTION_FIELDS.map(({ name }) => optionOf(plain, name)).filter((each) => each !== undefined)).toEqual([]);
    expect(optionOf(aDraft('a', { onError: 'continue' }), 'onError')).toBe('continue');
  });

  it('are taken back to that', () => {
    const layer = aDraft('a', { onError: 'continue', when: '{{ .x.y }}', stage: 's' });
    const back = ['onError', 'when', 'stage'].reduce((now, name) => withOption(now, name, undefined), layer);
    expect(back).toEqual(aDraft('a'));
  });

  it('are said in words', () => {
    const retry = { attempts: 3, backoff: 'fixed', delayMs: 1, maxDelayMs: 1 } as const;
    expect(
      optionWords(aDraft('a', { retry, forEach: { in: '{{ .x }}', concurrency: 1 }, onError: 'continue' })),
    ).toEqual(['for each', '3 attempts', 'goes on after errors']);
  });
});
