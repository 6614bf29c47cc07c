import type { Face } from '@weft/layers';
import type { ApiHead } from '@weft/records';
import { TenantScope } from '@weft/store';
import { expect, it } from 'vitest';
import { FacesInUse } from './faces-in-use.js';

const KEY = 'shop/order@AAAAAAAAAAAAAAAAAAAAAA';

it('keeps no face of an API that was changed while it was read', async () => {
  let [address, nowMs] = ['https://a.example', 0];
  const kept = new Map<string, Face>();
  const faces = new FacesInUse(
    { findOne: async () => ({ baseUrl: address }) as Face },
    { findNamed: async () => ({ _id: 'api', baseUrl: address }) as ApiHead },
    { get: (key) => kept.get(key), set: (key, face) => void kept.set(key, face) },
    () => nowMs,
  );
  const scope = new TenantScope('c');
  const addressOf = async (key: string) => ((await faces.find(scope, [key])).get(key) as Face).baseUrl;
  // the API is read with this address, for another operation
  expect(await addressOf('shop/other@AAAAAAAAAAAAAAAAAAAAAA')).toBe('https://a.example');
  address = 'https://b.example';
  expect(await addressOf(KEY)).toBe('https://b.example');
  address = 'https://a.example';
  nowMs += 10_000;
  expect(await addressOf(KEY)).toBe('https://a.example');
});
