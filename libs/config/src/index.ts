export type { SettingEntry, SettingKey } from './catalog.js';
export { loadSettings, processSettings, type Environment, type LoadOptions } from './load-settings.js';
export { SettingsError } from './settings-error.js';
export type { EgressRule, Settings } from './settings.js';
