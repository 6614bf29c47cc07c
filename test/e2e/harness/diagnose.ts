import { loadSettings } from '@weft/config';
import { examine } from '../../../apps/standalone/src/doctor/examine.js';
import type { Finding } from '../../../apps/standalone/src/doctor/finding.js';

/** What `npm run doctor` finds with these settings, without a process of its own. */
export function diagnose(env: Readonly<Record<string, string>>, upgradeFrom?: string): Promise<readonly Finding[]> {
  return examine(loadSettings(env, { standalone: false }), env, upgradeFrom);
}
