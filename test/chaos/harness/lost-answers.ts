import type { KvDocument } from '@weft/records';
import type { RelayOptions } from './relay.js';
import { commandOf, messageCutter } from './mongo-wire.js';

/** MongoDB's answers to changes of key-value entries, some of which do not arrive. */
export interface LostAnswers {
  readonly rewrite: NonNullable<RelayOptions['rewrite']>;
  /** Loses the next answer that shows this entry, set or deleted. @returns once the change is stored and its answer lost */
  lose(key: string, as: 'set' | 'deleted'): Promise<void>;
}

export function lostAnswers(): LostAnswers {
  const waiting = new Map<string, () => void>();
  const isLost = (message: Buffer): boolean => {
    if (waiting.size === 0 || !message.includes('lastErrorObject')) return false;
    const { key, value } = (commandOf(message)?.value ?? {}) as Partial<KvDocument>;
    const name = `${key} ${value === null ? 'deleted' : 'set'}`;
    waiting.get(name)?.();
    return waiting.delete(name);
  };
  return {
    rewrite: () => {
      const whole = messageCutter();
      return (bytes) => whole(bytes).filter((message) => !isLost(message));
    },
    lose: (key, as) => new Promise((resolve) => waiting.set(`${key} ${as}`, resolve)),
  };
}
