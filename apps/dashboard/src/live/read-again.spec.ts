import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it, onTestFinished } from 'vitest';
import { readAgain } from './read-again';

const KEY = ['play', 'p'];

/** A page that shows a play, whose answers the test gives. */
function shown() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const asked: PromiseWithResolvers<string>[] = [];
  const observer = new QueryObserver(queries, {
    queryKey: [...KEY, 'head'],
    queryFn: () => {
      asked.push(Promise.withResolvers());
      return asked.at(-1)?.promise;
    },
  });
  onTestFinished(observer.subscribe(() => undefined));
  const settled = async () => {
    for (let turns = 0; turns < 10; turns += 1) await new Promise(setImmediate);
  };
  return { queries, asked, settled, data: () => observer.getCurrentResult().data };
}

it('reads once more what was being read for the first time when it changed', async () => {
  const { queries, asked, settled, data } = shown();
  void readAgain(queries, KEY);
  asked[0]?.resolve('RUN');
  await settled();
  expect(asked).toHaveLength(2);
  asked[1]?.resolve('DONE');
  await settled();
  expect(data()).toBe('DONE');
});

it('reads once more when that first read fails', async () => {
  const { queries, asked, settled, data } = shown();
  void readAgain(queries, KEY);
  asked[0]?.reject(new Error('unreachable'));
  await settled();
  asked[1]?.resolve('DONE');
  await settled();
  expect(data()).toBe('DONE');
});

it('reads again what is there, once', async () => {
  const { queries, asked, settled, data } = shown();
  asked[0]?.resolve('RUN');
  await settled();
  void readAgain(queries, KEY);
  await settled();
  expect(asked).toHaveLength(2);
  asked[1]?.resolve('DONE');
  await settled();
  expect([data(), asked.length]).toEqual(['DONE', 2]);
});
