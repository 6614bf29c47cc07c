import { WeftError } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { PasswordHasher } from './password-hasher.js';

const QUICK = 4;

describe('the password hasher', () => {
  it('makes bcrypt hashes of cost 12', async () => {
    expect(await new PasswordHasher().hash('seven grey herons')).toMatch(/^\$2b\$12\$/);
  });

  it('tells the right password from another and from none', async () => {
    const hasher = new PasswordHasher({ cost: QUICK });
    const hash = await hasher.hash('seven grey herons');
    expect(await hasher.verify('seven grey herons', hash)).toBe(true);
    expect(await hasher.verify('seven grey heron', hash)).toBe(false);
    expect(await hasher.verify('seven grey herons', null)).toBe(false);
  });

  it('compares at full cost where there is no account', async () => {
    const hasher = new PasswordHasher({ cost: QUICK });
    const hash = await hasher.hash('seven grey herons');
    const timeOf = async (stored: string | null): Promise<number> => {
      const start = performance.now();
      await hasher.verify('another one', stored);
      return performance.now() - start;
    };
    // 2^12 rounds against 2^4: a compare that was left out would be the shorter one
    expect(await timeOf(null)).toBeGreaterThan(5 * (await timeOf(hash)));
  });

  it('refuses what bcrypt would cut before it costs anything', async () => {
    const hasher = new PasswordHasher({ concurrency: 1, maxWaiting: 0 });
    await expect(hasher.verify('ä'.repeat(37), null)).rejects.toMatchObject({ code: 'password_too_long' });
    await expect(hasher.hash('a\0b')).rejects.toMatchObject({ code: 'invalid_body' });
  });

  it('lets no more wait than it may, and works on when the crowd is gone', async () => {
    const hasher = new PasswordHasher({ concurrency: 1, maxWaiting: 1, cost: QUICK });
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => hasher.hash('some password')));
    const refused = outcomes.filter((each) => each.status === 'rejected');
    expect(refused).toHaveLength(1);
    expect(refused[0]?.reason).toBeInstanceOf(WeftError);
    expect(refused[0]?.reason).toMatchObject({ code: 'too_many_attempts', retryAfterSeconds: 1 });
    expect(await hasher.hash('some password')).toMatch(/^\$2b\$04\$/);
  });
});
