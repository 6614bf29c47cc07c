import { describe } from 'vitest';
import { MemoryPlayStore } from './memory-play-store.js';
import { playStoreContract } from './play-store.contract.js';

describe('the in-memory play store', () => {
  playStoreContract(() => Promise.resolve(new MemoryPlayStore()));
});
