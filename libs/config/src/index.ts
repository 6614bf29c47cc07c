export { readConfigFile, withConfigFile, type ConfigFile } from './config-file.js';
export type { ChangeableKey, SettingKey, SettingValue } from './catalog.js';
export type { SettingEntry } from './setting-entry.js';
export { loadSettings, processSettings, type LoadOptions } from './load-settings.js';
export { SettingsError } from './settings-error.js';
export type { EgressRule, Environment, Settings } from './settings.js';
export { makeFolder } from './make-folder.js';
export {
  isChangeable,
  isSettingKey,
  parseChange,
  reportSettings,
  settingDefaults,
  type SettingReport,
} from './report-settings.js';
export { SETTINGS } from './token.js';
