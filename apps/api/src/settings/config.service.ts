import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { isChangeable, isSettingKey, parseChange, type ChangeableKey, type Settings, SETTINGS } from '@weft/config';
import { WeftError, type Clock, type ErrorCode, type FieldError, CLOCK } from '@weft/kernel';
import { RunTimeSettings, SETTINGS_COLLECTION } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { actorEntry, type Actor } from '../audit/actor-entry.js';
import { toConfigView, type ConfigView } from './config.view.js';

/** The settings of the installation, and the few that can change while it runs. */
@Injectable()
export class ConfigService {
  constructor(
    private readonly runTime: RunTimeSettings,
    private readonly bus: InvalidationBus,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  read(caller: Principal): ConfigView {
    return toConfigView(this.settings, this.runTime, caller);
  }

  /** @throws WeftError `unknown_field`, `invalid_body`, `not_changeable` */
  async change(actor: Actor, body: Readonly<Record<string, unknown>>): Promise<ConfigView> {
    const changes = this.changesOf(body);
    if (changes.size > 0) {
      const before = (key: ChangeableKey): unknown => this.runTime.get(key);
      const entry = actorEntry(
        actor,
        'config_changed',
        { collection: SETTINGS_COLLECTION, resource_type: 'config', resource_id: 'config' },
        Object.fromEntries([...changes].map(([key, value]) => [key, { before: before(key), after: value }])),
      );
      await this.runTime.change(changes, new Date(this.clock.now()), entry);
      this.bus.publish({ kind: 'config', id: 'config' });
    }
    return this.read(actor.caller);
  }

  /** Null takes a change back. */
  private changesOf(body: Readonly<Record<string, unknown>>): ReadonlyMap<ChangeableKey, unknown> {
    const changes = new Map<ChangeableKey, unknown>();
    const fixed: FieldError[] = [];
    for (const [key, value] of Object.entries(body)) {
      if (!isSettingKey(key)) throw refusal('unknown_field', key, `${key} is no setting`);
      if (!isChangeable(key)) {
        fixed.push({ path: key, code: 'not_changeable', message: `${key} is read at the start only` });
        continue;
      }
      const read = value === null ? { value } : parseChange(key, value);
      if ('fault' in read) throw refusal('invalid_body', key, `${key} ${read.fault}`);
      changes.set(key, read.value);
    }
    if (fixed.length > 0) {
      throw new WeftError('not_changeable', 'Set it in the environment and start again.', { errors: fixed });
    }
    this.assertWithinMaximum(changes.get('session.ttl_hours'));
    return changes;
  }

  private assertWithinMaximum(ttlHours: unknown): void {
    const { maxHours } = this.settings.session;
    if (typeof ttlHours !== 'number' || maxHours === 0 || ttlHours <= maxHours) return;
    const key = 'session.ttl_hours';
    throw refusal('invalid_body', key, `${key} is above the longest session; write at most ${maxHours}`);
  }
}

function refusal(code: ErrorCode, path: string, message: string): WeftError {
  return new WeftError(code, `${message}.`, { errors: [{ path, code, message }] });
}
