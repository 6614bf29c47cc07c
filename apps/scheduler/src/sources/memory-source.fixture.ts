import { parseStoredJson } from '@weft/kernel';
import {
  SourceFault,
  type Source,
  type SourceAsk,
  type SourceBatch,
  type SourceKind,
  type SourceMessage,
} from './source.js';

const MOST = 500;

/** A topic in memory: each shard is a list, a message's id is its position, and so is a cursor. */
export class MemoryTopic implements SourceKind {
  private readonly shards = new Map<string, SourceMessage[]>();
  private readonly waiting = new Set<() => void>();
  /** Batches that the reader has reported as accepted. */
  readonly accepted: SourceBatch[] = [];
  opened = 0;
  fault: SourceFault | null = null;
  /** Said once, with the next batch. */
  lost: string | undefined;

  constructor(
    private readonly names: readonly string[] = ['p0'],
    private readonly waitMs = 20,
  ) {
    for (const name of names) this.shards.set(name, []);
  }

  /** @param values each is a message's value */
  put(values: readonly unknown[], shard = this.names[0] ?? 'p0'): void {
    const list = this.shards.get(shard);
    if (!list) throw new TypeError(`there is no ${shard}`);
    for (const value of values) {
      const at = list.length;
      list.push({
        ...{ id: String(at), next: String(at + 1), contentType: null, headers: {}, at: new Date(0) },
        bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
        about: { shard },
      });
    }
    for (const wake of this.waiting) wake();
  }

  read({ bytes, headers, about }: Pick<SourceMessage, 'bytes' | 'headers' | 'about'>) {
    const text = bytes.toString();
    return { value: /^[{[]/.test(text) ? parseStoredJson(text) : text, headers, ...about };
  }

  open({ trigger, cursors }: SourceAsk): Promise<Source> {
    this.opened += 1;
    const at = new Map([...cursors].map(([shard, cursor]) => [shard, Number(cursor)]));
    const isFromStart = trigger.source?.start === 'earliest';
    const begins = new Map(
      [...this.shards]
        .filter(([shard]) => !at.has(shard))
        .map(([shard, list]) => [shard, String(isFromStart ? 0 : list.length)]),
    );
    for (const [shard, cursor] of begins) at.set(shard, Number(cursor));
    const next = (): SourceBatch | null => {
      if (this.fault) throw this.fault;
      for (const [shard, list] of this.shards) {
        const from = at.get(shard) ?? 0;
        if (from >= list.length) continue;
        const messages = list.slice(from, from + MOST);
        at.set(shard, from + messages.length);
        const { lost } = this;
        this.lost = undefined;
        return { shard, messages, next: String(from + messages.length), ...(lost !== undefined && { lost }) };
      }
      return null;
    };
    return Promise.resolve({
      begins,
      next: async (signal) => {
        const batch = next();
        if (batch) return batch;
        await this.news(signal);
        return next();
      },
      accepted: (batch) => {
        this.accepted.push(batch);
        return Promise.resolve();
      },
      lag: () => [...this.shards].reduce((sum, [shard, list]) => sum + list.length - (at.get(shard) ?? 0), 0),
      close: () => Promise.resolve(),
    });
  }

  private news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.waiting.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, this.waitMs);
      this.waiting.add(end);
      signal.addEventListener('abort', end, { once: true });
    });
  }
}
