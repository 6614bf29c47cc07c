import { WeftError } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { assertArgsFit } from './assert-args-fit.js';

describe('assertArgsFit', () => {
  it('refuses args that do not fit the flow, with the first fault in its message', () => {
    expect(() => assertArgsFit({ required: ['id'] }, {})).toThrow(WeftError);
    expect(() => assertArgsFit({ required: ['id'] }, {})).toThrow(
      'The args do not fit the flow: args.id: is required.',
    );
    expect(() => assertArgsFit(null, {})).not.toThrow();
  });
});
