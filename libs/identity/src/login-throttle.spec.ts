import { WeftError } from '@weft/kernel';
import { beforeEach, describe, expect, it } from 'vitest';
import { LoginThrottle } from './login-throttle.js';

let nowMs: number;
let throttle: LoginThrottle;

beforeEach(() => {
  nowMs = 1_000;
  throttle = new LoginThrottle({ now: () => 0, monotonicMs: () => nowMs });
});

async function attempt(account: string, address: string, failed: boolean): Promise<void> {
  (await throttle.begin(account, address)).end(failed);
}

async function refusal(account: string, address: string): Promise<WeftError | null> {
  try {
    (await throttle.begin(account, address)).end(false);
    return null;
  } catch (error) {
    return error as WeftError;
  }
}

async function repeat(times: number, work: (i: number) => Promise<void>): Promise<void> {
  for (let i = 0; i < times; i += 1) await work(i);
}

describe('the throttle of sign-ins', () => {
  it('closes a pair after five failures until the minute is over', async () => {
    await repeat(4, () => attempt('ada', '::1', true));
    expect(await refusal('ada', '::1')).toBeNull();
    await attempt('ada', '::1', true);
    nowMs += 20_500;
    expect(await refusal('ada', '::1')).toMatchObject({ code: 'too_many_attempts', retryAfterSeconds: 40 });
    expect(await refusal('bob', '::1')).toBeNull();
    expect(await refusal('ada', '::2')).toBeNull();
    nowMs += 39_500;
    expect(await refusal('ada', '::1')).toBeNull();
  });

  it('never counts a success, and forgets no failure for one', async () => {
    await repeat(200, () => attempt('ada', '::1', false));
    await repeat(4, () => attempt('ada', '::1', true));
    await attempt('ada', '::1', false);
    await attempt('ada', '::1', true);
    expect(await refusal('ada', '::1')).not.toBeNull();
  });

  it('closes an address after a hundred failures over many accounts', async () => {
    await repeat(100, (i) => attempt(`user${i}`, '::1', true));
    expect(await refusal('somebody', '::1')).toMatchObject({ code: 'too_many_attempts' });
    expect(await refusal('somebody', '::2')).toBeNull();
  });

  it('closes an account after fifty failures from many addresses', async () => {
    await repeat(50, (i) => attempt('ada', `10.0.0.${i}`, true));
    expect(await refusal('ada', '192.0.2.1')).toMatchObject({ code: 'too_many_attempts' });
    expect(await refusal('bob', '192.0.2.1')).toBeNull();
  });

  it('looks at five of fifty parallel guesses', async () => {
    let looked = 0;
    const guess = async (): Promise<string> => {
      const begun = await throttle.begin('ada', '::1').catch(() => null);
      if (!begun) return 'refused';
      looked += 1;
      await Promise.resolve();
      begun.end(true);
      return 'wrong';
    };
    const answers = await Promise.all(Array.from({ length: 50 }, guess));
    expect(looked).toBe(5);
    expect(answers.filter((answer) => answer === 'refused')).toHaveLength(45);
  });

  it('lets fifty parallel sign-ins with the right password all pass', async () => {
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const begun = await throttle.begin('ada', '::1');
        await Promise.resolve();
        begun.end(false);
      }),
    );
    expect(await refusal('ada', '::1')).toBeNull();
  });

  it('lets no crowd wait without end', async () => {
    const begun = await Promise.all(Array.from({ length: 5 }, () => throttle.begin('ada', '::1')));
    const crowd = Array.from({ length: 201 }, () => refusal('ada', '::1'));
    expect(await crowd[200]).toMatchObject({ code: 'too_many_attempts', retryAfterSeconds: 1 });
    for (const each of begun) each.end(false);
    expect((await Promise.all(crowd.slice(0, 200))).every((refused) => refused === null)).toBe(true);
  });
});
