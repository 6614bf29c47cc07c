/** All faults of the settings, one line each: "NAME: what is wrong, what to write". */
export class SettingsError extends Error {
  constructor(readonly lines: readonly string[]) {
    super(`The settings cannot be used:\n${lines.map((line) => `  ${line}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}
