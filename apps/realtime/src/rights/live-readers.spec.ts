import type { InvalidationBus } from '@weft/realtime-bus';
import { expect, it, vi } from 'vitest';
import type { LiveReader } from './live-reader.js';
import { LiveReaders } from './live-readers.js';

it('looks at who came in while something changed that concerns nobody who was here', () => {
  const heard = new Map<string, (id: string) => void>();
  const bus = {
    isConnected: true,
    on: (kind: string, listener: (id: string) => void) => (heard.set(kind, listener), () => undefined),
    onGap: () => () => undefined,
  };
  const readers = new LiveReaders(bus as unknown as InvalidationBus, () => undefined);
  const reader = () => ({ recheck: vi.fn(() => Promise.resolve()), caller: { credentialId: 'of-another' } });
  const [quiet, late] = [reader(), reader()];
  readers.add(quiet as unknown as LiveReader, readers.changes);
  const since = readers.changes;
  heard.get('session')?.('s1');
  readers.add(late as unknown as LiveReader, since);
  expect([quiet.recheck.mock.calls.length, late.recheck.mock.calls.length]).toEqual([0, 1]);
  readers.stop();
});
