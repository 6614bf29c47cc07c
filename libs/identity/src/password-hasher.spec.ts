import { WeftError } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { PasswordHasher } from './password-hasher.js';

describe('the password hasher', () => {
  it('makes bcrypt hashes of cost 12 and tells the right password from others and from none', async () => {
    const hasher = new PasswordHasher();
    const hash = await hasher.hash('seven grey herons');
    expect(hash).toMatch(/^\$2b\$12\$/);
    expect(await hasher.verify('seven grey herons', hash)).toBe(true);
    expect(await hasher.verify('seven grey heron', hash)).toBe(false);
    expect(await hasher.verify('seven grey herons', null)).toBe(false);
  });

  it('really compares where there is no account', async () => {
    const hasher = new PasswordHasher();
    const hash = await hasher.hash('seven grey herons');
    const timeOf = async (stored: string | null): Promise<number> => {
      const start = performance.now();
      await hasher.verify('another one', stored);
      return performance.now() - start;
    };
    expect(await timeOf(null)).toBeGreaterThan((await timeOf(hash)) / 4);
  });

  it('refuses what bcrypt would cut before it costs anything', async () => {
    const hasher = new PasswordHasher({ concurrency: 1, maxWaiting: 0 });
    await expect(hasher.verify('ä'.repeat(37), null)).rejects.toMatchObject({ code: 'password_too_long' });
    await expect(hasher.hash('a\0b')).rejects.toMatchObject({ code: 'invalid_body' });
  });

  it('hashes no more at once than it may, and refuses who would be one too many in the queue', async () => {
    const hasher = new PasswordHasher({ concurrency: 1, maxWaiting: 1 });
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => hasher.verify('some password', null)));
    const refused = outcomes.filter((each) => each.status === 'rejected');
    expect(refused).toHaveLength(1);
    expect(refused[0]?.reason).toBeInstanceOf(WeftError);
    expect(refused[0]?.reason).toMatchObject({ code: 'too_many_attempts', retryAfterSeconds: 1 });
    expect(await hasher.verify('some password', null)).toBe(false);
  });
});
