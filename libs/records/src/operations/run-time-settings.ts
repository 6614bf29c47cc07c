import type { ChangeableKey, Settings, SettingValue } from '@weft/config';
import { recordAudit, type AuditEntryInput, type Mongo } from '@weft/store';
import { SETTINGS_COLLECTION, type SettingDocument } from './setting.schema.js';

type Values = { readonly [K in ChangeableKey]: SettingValue<K> };

/** Where each one is stored: one record per key, so that two operators who change two of them do not meet. */
const ID = {
  'logging.level': 'config:logging.level',
  'session.ttl_hours': 'config:session.ttl_hours',
  'retention.cleanup_interval': 'config:retention.cleanup_interval',
} as const satisfies Record<ChangeableKey, string>;

const KEYS = Object.keys(ID) as ChangeableKey[];

/**
 * The settings that an operator may change while the processes run. Reading a value in effect needs no query; each process
 * looks every five seconds (libs/process), and at once when it is notified of a change.
 */
export class RunTimeSettings {
  private readonly given: Values;
  private changed: Partial<Values> = {};
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly mongo: Mongo,
    { logging, session, retention }: Pick<Settings, 'logging' | 'session' | 'retention'>,
  ) {
    this.given = {
      'logging.level': logging.level,
      'session.ttl_hours': session.ttlHours,
      'retention.cleanup_interval': retention.cleanupInterval,
    };
  }

  get<K extends ChangeableKey>(key: K): SettingValue<K> {
    const changed: SettingValue<K> | undefined = this.changed[key];
    return changed ?? this.given[key];
  }

  isChanged(key: ChangeableKey): boolean {
    return this.changed[key] !== undefined;
  }

  /** Called whenever a value in effect has changed. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Looks into the store. */
  async refresh(): Promise<void> {
    const found = await this.mongo
      .collection<SettingDocument>(SETTINGS_COLLECTION)
      .find({ _id: { $in: Object.values(ID) } })
      .toArray();
    const changed = Object.fromEntries(
      KEYS.flatMap((key) => {
        const record = found.find(({ _id }) => _id === ID[key]);
        return record ? [[key, record.value]] : [];
      }),
    ) as Partial<Values>;
    const before = this.changed;
    this.changed = changed;
    if (KEYS.some((key) => before[key] !== changed[key])) for (const listener of this.listeners) listener();
  }

  /** @param changes null takes a change back: what the environment says, or the default, holds again */
  async change(changes: ReadonlyMap<ChangeableKey, unknown>, at: Date, entry: AuditEntryInput): Promise<void> {
    await this.mongo.transaction(async (session) => {
      const records = this.mongo.collection<SettingDocument>(SETTINGS_COLLECTION);
      for (const [key, value] of changes) {
        if (value === null) await records.deleteOne({ _id: ID[key] }, { session });
        else await records.updateOne({ _id: ID[key] }, { $set: { value, at } }, { session, upsert: true });
      }
      await recordAudit(session, entry);
    });
    await this.refresh();
  }
}
