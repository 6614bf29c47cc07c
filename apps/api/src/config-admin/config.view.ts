import { isChangeable, reportSettings, type Settings, type SettingReport } from '@weft/config';
import type { RunTimeSettings } from '@weft/persistence';
import { anything, flag, listOf, named, object, oneOf, text } from '../http/schema.js';

/** Contract §3, a setting as an admin sees it. */
export interface SettingView extends Omit<SettingReport, 'source'> {
  readonly source: SettingReport['source'] | 'run time';
}

export interface ConfigView {
  readonly items: readonly SettingView[];
}

/** What is in effect in this process now. */
export function toConfigView(settings: Settings, runTime: RunTimeSettings): ConfigView {
  return {
    items: reportSettings(settings).map((report) =>
      isChangeable(report.key) && runTime.isChanged(report.key)
        ? { ...report, value: runTime.get(report.key), source: 'run time' }
        : report,
    ),
  };
}

export const configSchema = named(
  'Config',
  object<ConfigView>({
    items: listOf(
      object<SettingView>({
        key: { ...text, description: 'Section and name.' },
        value: { ...anything, description: 'In effect; of a secret only whether it is set.' },
        default: anything,
        source: oneOf(['default', 'environment', 'file', 'run time']),
        changeable: flag,
      }),
    ),
  }),
);
