import type { Principal } from '@weft/access';
import { isChangeable, reportSettings, type Settings, type SettingReport } from '@weft/config';
import type { RunTimeSettings } from '@weft/records';
import { isDeepStrictEqual } from 'node:util';
import { anything, flag, listOf, named, object, oneOf, text } from '../http/schema.js';

/** docs/http-api.md §3, a setting as an admin sees it. */
export interface SettingView extends Omit<SettingReport, 'source' | 'operatorsOnly'> {
  readonly source: SettingReport['source'] | 'run time';
}

export interface ConfigView {
  readonly items: readonly SettingView[];
}

const MASK = '[operators only]';

/** What is in effect in this process now; of what tells of the installation, others than operators see whether it is set. */
export function toConfigView(
  settings: Settings,
  runTime: RunTimeSettings,
  { operator }: Pick<Principal, 'operator'>,
): ConfigView {
  return {
    items: reportSettings(settings).map(({ operatorsOnly, ...report }) => {
      if (operatorsOnly && !operator && !isDefault(report)) return { ...report, value: MASK };
      return isChangeable(report.key) && runTime.isChanged(report.key)
        ? { ...report, value: runTime.get(report.key), source: 'run time' }
        : report;
    }),
  };
}

/** The source alone does not say it: the standalone app gives its processes values that no user set. */
const isDefault = (report: Pick<SettingReport, 'value' | 'default'>): boolean =>
  isDeepStrictEqual(report.value, report.default);

export const configSchema = named(
  'Config',
  object<ConfigView>({
    items: listOf(
      object<SettingView>({
        key: { ...text, description: 'Section and name.' },
        value: {
          ...anything,
          description:
            'In effect; of a secret only whether it is set. So is, for others than operators, what tells of the machine or its network.',
        },
        default: anything,
        source: oneOf(['default', 'environment', 'file', 'run time']),
        changeable: flag,
      }),
    ),
  }),
);
