import { expect, it } from 'vitest';
import { waitFor } from './wait-for.js';

it('gives the first answer that is there', async () => {
  const answers = [undefined, null, false, 0, 'late'];
  await expect(waitFor(() => answers.shift(), { what: 'an answer' })).resolves.toBe(0);
});

it('asks again after a failure', async () => {
  let asked = 0;
  const ask = (): string => {
    asked += 1;
    if (asked < 3) throw new Error('not yet');
    return 'now';
  };
  await expect(waitFor(ask, { what: 'now' })).resolves.toBe('now');
});

it('says what never came, and why', async () => {
  const ask = (): never => {
    throw new Error('the reason');
  };
  const waiting = waitFor(ask, { what: 'Godot', withinMs: 30 });
  await expect(waiting).rejects.toMatchObject({
    message: 'Waited 30 ms in vain for Godot',
    cause: new Error('the reason'),
  });
});
