import type { components } from '@weft/client';

export type Setting = components['schemas']['Config']['items'][number];

export const CONFIG_KEY = ['config'];

export function settingText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What was typed, as the kind of value that the setting has. */
export function valueOf(text: string, before: unknown): unknown {
  if (typeof before === 'number') return Number(text);
  if (typeof before === 'boolean') return text === 'true';
  return text;
}
