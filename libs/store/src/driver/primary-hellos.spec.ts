import { describe, expect, it } from 'vitest';
import { PrimaryHellos } from './primary-hellos.js';

const localTime = new Date(5_000);
const primary = (election: string) => ({ localTime, isWritablePrimary: true, electionId: election });

describe('PrimaryHellos', () => {
  it('counts primaries and routers alone, in the words of older servers, too', () => {
    expect(new PrimaryHellos().read({ localTime, isWritablePrimary: true })).toEqual({
      timeMs: 5_000,
      isAnother: false,
    });
    expect(new PrimaryHellos().read({ localTime, ismaster: true })?.timeMs).toBe(5_000);
    const others = [undefined, {}, { localTime }, { localTime, isWritablePrimary: false }, { isWritablePrimary: true }];
    for (const hello of others) expect(new PrimaryHellos().read(hello)).toBeNull();
  });

  it('tells when another one was elected, and does not hear the former one any more', () => {
    const hellos = new PrimaryHellos();
    expect(hellos.read(primary('7fff0001'))?.isAnother).toBe(false);
    expect(hellos.read(primary('7fff0001'))?.isAnother).toBe(false);
    expect(hellos.read(primary('7fff0002'))?.isAnother).toBe(true);
    expect(hellos.read(primary('7fff0001'))).toBeNull();
    expect(hellos.read(primary('7fff0002'))?.isAnother).toBe(false);
  });
});
