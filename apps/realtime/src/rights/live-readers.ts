import type { InvalidationBus } from '@weft/realtime-bus';
import type { LiveReader } from './live-reader.js';
import { OutageRechecks } from './outage-rechecks.js';

/**
 * All readers of this process. A reader is rechecked when the bus publishes a change that affects it, or is
 * unreachable.
 */
export class LiveReaders {
  private readonly readers = new Set<LiveReader>();
  private readonly outageRechecks: OutageRechecks;
  private changeCount = 0;
  private readonly stopListening: readonly (() => void)[];

  /** @param onFlow called for a changed flow before its readers are rechecked */
  constructor(bus: InvalidationBus, onFlow: (flowId: string) => void) {
    this.outageRechecks = new OutageRechecks(bus, this.readers);
    this.stopListening = [
      bus.on('session', (id) => this.recheckWhere(({ caller }) => caller.credentialId === id)),
      bus.on('api-key', (id) => this.recheckWhere(({ caller }) => caller.credentialId === id)),
      bus.on('user', (id) => this.recheckWhere(({ caller }) => caller.userId === id)),
      bus.on('grants', (id) => this.recheckWhere((reader) => reader.isReachedBy(id))),
      bus.on('company', (id) => this.recheckWhere(({ caller }) => caller.companyId === id)),
      bus.on('flow', (id) => {
        onFlow(id);
        this.recheckWhere((reader) => reader.concernsFlow(id));
      }),
    ];
  }

  /** Incremented by each published change: read it before a caller is admitted. */
  get changes(): number {
    return this.changeCount;
  }

  /** @param since `changes` from before the caller was admitted: a change in between could not reach this reader */
  add(reader: LiveReader, since: number): void {
    this.readers.add(reader);
    if (since !== this.changeCount) void reader.recheck();
  }

  delete(reader: LiveReader): void {
    this.readers.delete(reader);
  }

  stop(): void {
    this.outageRechecks.stop();
    for (const stop of this.stopListening) stop();
  }

  private recheckWhere(concerns: (reader: LiveReader) => boolean): void {
    this.changeCount += 1;
    for (const reader of this.readers) if (concerns(reader)) void reader.recheck();
  }
}
