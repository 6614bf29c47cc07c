import { describe, expect, it } from 'vitest';
import { TransactionPatience } from './transaction-patience.js';

const timeout = new DOMException('too late', 'TimeoutError');
const unreachable = Object.assign(new Error('connection closed'), { name: 'MongoNetworkError' });

describe('TransactionPatience', () => {
  it('gives the result of the transaction, and its error as it is', async () => {
    await expect(new TransactionPatience(1_000).with(Promise.resolve('done'))).resolves.toBe('done');
    const refused = Promise.reject(new Error('refused'));
    await expect(new TransactionPatience(1_000).with(refused)).rejects.toThrow('refused');
  });

  it('leaves a try that met an unreachable server to the driver while there is time, and then gives up', async () => {
    const patience = new TransactionPatience(1_000);
    const later = patience.with(new Promise(() => undefined)).catch((error: unknown) => error);
    await expect(patience.during(() => Promise.reject(unreachable))).rejects.toBe(unreachable);
    await expect(patience.during(() => Promise.reject(timeout))).rejects.toBe(timeout);
    expect(await later).toBe(timeout);
    const impatient = new TransactionPatience(0);
    const ended = impatient.with(new Promise(() => undefined)).catch((error: unknown) => error);
    await expect(impatient.during(() => Promise.reject(unreachable))).rejects.toBe(unreachable);
    expect(await ended).toBe(unreachable);
  });

  it('waits for a commit for as long as for anything, and lets no later try be committed', async () => {
    const patience = new TransactionPatience(20);
    const ended = patience.with(new Promise(() => undefined)).catch((error: Error) => error.name);
    await patience.during(() => Promise.resolve());
    expect(await ended).toBe('TimeoutError');
    await expect(patience.during(() => Promise.resolve())).rejects.toThrow('given up');
  });
});
