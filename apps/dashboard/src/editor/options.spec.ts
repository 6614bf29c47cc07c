import { describe, expect, it } from 'vitest';
import { aDraft } from './draft.fixture';
import { firstValue } from './form-model';
import { OPTION_FIELDS, optionOf, optionWords, withOption } from './options';

describe('the options of a layer', () => {
  it('are fields of a form, as the published schema describes them', () => {
    const fieldOf = (name: string) => OPTION_FIELDS.find((each) => each.name === name);
    expect(OPTION_FIELDS.filter(({ description, kind }) => description === '' || kind === 'any')).toEqual([]);
    expect(fieldOf('when')).toMatchObject({ kind: 'text', fallback: '' });
    expect(fieldOf('stage')).toMatchObject({ kind: 'word' });
    expect(fieldOf('onError')).toMatchObject({ kind: 'choice', options: ['fail', 'continue'], fallback: 'fail' });
    expect(OPTION_FIELDS.map(({ label }) => label)).toContain('For each item of');
    expect(OPTION_FIELDS.filter(({ label }) => label === undefined)).toEqual([]);
    expect(fieldOf('timeoutMs')).toMatchObject({ kind: 'number', isInteger: true, min: 1, max: 86_400_000 });
    expect(fieldOf('retry')).toMatchObject({
      kind: 'object',
      fields: [
        { name: 'attempts', isRequired: true, min: 1, max: 20 },
        { name: 'backoff', kind: 'choice', fallback: 'exponential' },
        { name: 'delayMs', isRequired: false, fallback: '1000', max: 86_400_000 },
        { name: 'maxDelayMs', max: 86_400_000 },
        { name: 'on', kind: 'list', item: { kind: 'word' } },
      ],
    });
  });

  it('begin with what they need', () => {
    const firstOf = (name: string) => OPTION_FIELDS.filter((each) => each.name === name).map(firstValue);
    expect(firstOf('retry')).toEqual([{ attempts: 3 }]);
    expect(firstOf('forEach')).toEqual([{ in: '' }]);
    expect(firstOf('repeat')).toEqual([{ until: '' }]);
  });

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
    ).toEqual(['for each', 'up to 3 attempts', 'goes on after errors']);
  });
});
