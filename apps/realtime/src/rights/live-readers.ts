import type { InvalidationBus } from '@weft/realtime-bus';
import type { LiveReader } from './live-reader.js';
import { RightsWatch } from './rights-watch.js';

/** Every reader of this process, looked at again when the bus tells of a change that concerns them, or cannot be heard. */
export class LiveReaders {
  private readonly readers = new Set<LiveReader>();
  private readonly watch: RightsWatch;
  private heard = 0;
  private readonly stopListening: readonly (() => void)[];

  /** @param onFlow told of a changed flow before its readers are looked at */
  constructor(bus: InvalidationBus, onFlow: (flowId: string) => void) {
    this.watch = new RightsWatch(bus, this.readers);
    this.stopListening = [
      bus.on('session', (id) => this.lookAt(({ caller }) => caller.credentialId === id)),
      bus.on('api-key', (id) => this.lookAt(({ caller }) => caller.credentialId === id)),
      bus.on('user', (id) => this.lookAt(({ caller }) => caller.userId === id)),
      bus.on('grants', (id) => this.lookAt((reader) => reader.isReachedBy(id))),
      bus.on('company', (id) => this.lookAt(({ caller }) => caller.companyId === id)),
      bus.on('flow', (id) => {
        onFlow(id);
        this.lookAt((reader) => reader.concernsFlow(id));
      }),
    ];
  }

  /** Rises with each change that is heard of: take it before a caller is let in. */
  get changes(): number {
    return this.heard;
  }

  /** @param since `changes` when the caller was let in: who changed in between was not here to be looked at */
  add(reader: LiveReader, since: number): void {
    this.readers.add(reader);
    if (since !== this.heard) void reader.look();
  }

  delete(reader: LiveReader): void {
    this.readers.delete(reader);
  }

  stop(): void {
    this.watch.stop();
    for (const stop of this.stopListening) stop();
  }

  private lookAt(concerns: (reader: LiveReader) => boolean): void {
    this.heard += 1;
    for (const reader of this.readers) if (concerns(reader)) void reader.look();
  }
}
