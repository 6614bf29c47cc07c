/**
 * Checks that a process has the secrets of the installation that it joins. A process with other secrets would sign and seal
 * what no other process can read, and its audit entries would look like tampering.
 */
import type { Settings } from '@weft/config';
import { SystemScope, type AuditEntryInput, type Mongo } from '@weft/store';
import { SECRET_CHECKS, SecretCheckRepository } from '@weft/records';
import { SecretBox, SecretUnreadable, type SecretPlace } from './secret-box.js';

const INSTALLATION = new SystemScope('all companies of an installation share its secrets');
const PLACE: SecretPlace = { companyId: null, collection: SECRET_CHECKS, recordId: 'installation', field: 'sealed' };
const TEXT = 'weft';

/** The message says what to do. */
export class ForeignSecrets extends Error {
  override readonly name = 'ForeignSecrets';
}

export class InstallationSecrets {
  private readonly box: SecretBox;
  private readonly checks: SecretCheckRepository;

  constructor(mongo: Mongo, secrets: Settings['secrets']) {
    this.box = new SecretBox(secrets);
    this.checks = new SecretCheckRepository(mongo);
  }

  /**
   * Every key in use must be the current or a previous key of this process. The first process of an installation makes its own
   * key the one in use.
   *
   * @throws ForeignSecrets
   */
  async assertOurs(): Promise<void> {
    for (;;) {
      const sealed = await this.checks.find(INSTALLATION);
      if (sealed === null) {
        if (await this.checks.insert(INSTALLATION, [this.seal()])) return;
        continue;
      }
      const known = sealed.filter((text) => opens(this.box, PLACE, text));
      if (known.length === 0) throw notOurs();
      if (known.length < sealed.length) throw oneMissing();
      if (sealed.some((text) => this.box.isCurrent(text))) return;
      if (await this.checks.replace(INSTALLATION, sealed, [...sealed, this.seal()])) return;
    }
  }

  /** What is wrong with the secrets of this process; null: nothing. It stores nothing, also in a database without an installation. */
  async fault(): Promise<string | null> {
    const sealed = await this.checks.find(INSTALLATION);
    if (sealed === null) return null;
    const known = sealed.filter((text) => opens(this.box, PLACE, text));
    if (known.length === 0) return notOurs().message;
    return known.length < sealed.length ? oneMissing().message : null;
  }

  /** After a complete rotation only the current key is in use. */
  async forgetEarlier(): Promise<void> {
    const sealed = await this.checks.find(INSTALLATION);
    if (sealed) await this.checks.replace(INSTALLATION, sealed, [this.seal()]);
  }

  /** For lost secrets: what they sealed stays unreadable, and the current secret becomes the installation's. */
  async takeOver(): Promise<void> {
    const change = { before: '[lost]', after: '[replaced]' };
    const entry: AuditEntryInput = {
      action_type: 'config_changed',
      collection: SECRET_CHECKS,
      company_id: null,
      resource_type: 'config',
      resource_id: 'secrets.enc_key_secret',
      changes: { encryption_key: change },
    };
    await this.checks.overwrite(INSTALLATION, this.seal(), entry);
  }

  private seal(): string {
    return this.box.seal(PLACE, TEXT);
  }
}

function opens(box: SecretBox, place: SecretPlace, text: string): boolean {
  try {
    box.open(place, text);
    return true;
  } catch (error) {
    if (error instanceof SecretUnreadable) return false;
    throw error;
  }
}

function notOurs(): ForeignSecrets {
  return new ForeignSecrets(
    'ENC_KEY_SECRET or ENV_KEY_SALT is not that of the installation in this database. Give this process the values that its ' +
      'other processes have; the standalone app keeps its own in secrets.json of the data folder. How a secret is changed, and ' +
      'what to do where it is lost: docs/integrations.md.',
  );
}

function oneMissing(): ForeignSecrets {
  return new ForeignSecrets(
    'The installation in this database uses one more ENC_KEY_SECRET than this process was given. Add it to ' +
      'ENC_KEY_SECRET_PREVIOUS; one that was replaced can go after "npm run secrets:rotate" (docs/integrations.md).',
  );
}
