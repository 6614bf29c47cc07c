import { DURATION_SAYS, durationMs } from '@weft/retention';
import ipaddr from 'ipaddr.js';

import type { AiPrice, EgressRule, HeaderSetting } from './settings.js';

/** A value that cannot be used; the message continues "NAME: ". */
export class SettingFault extends Error {}

export type Parse<T> = (text: string) => T;

export function wholeNumber(min: number, max: number): Parse<number> {
  return (text) => {
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || value < min || value > max) {
      throw new SettingFault(`is "${text}"; write a whole number from ${min} to ${max}`);
    }
    return value;
  };
}

export function positiveNumber(max: number): Parse<number> {
  return (text) => {
    const value = Number(text);
    if (!/^\d+(\.\d+)?$/.test(text) || value <= 0 || value > max) {
      throw new SettingFault(`is "${text}"; write a number above 0, at most ${max}`);
    }
    return value;
  };
}

/** As retention policies write it. */
export function duration(text: string): string {
  if (durationMs(text) === null) throw new SettingFault(`is "${text}"; write ${DURATION_SAYS}`);
  return text;
}

/** A share of a whole. */
export function ratio(text: string): number {
  const value = Number(text);
  if (!/^\d*\.?\d+$/.test(text) || value > 1) throw new SettingFault(`is "${text}"; write a number from 0 to 1`);
  return value;
}

export function flag(text: string): boolean {
  if (/^(true|1|yes|on)$/i.test(text)) return true;
  if (/^(false|0|no|off)$/i.test(text)) return false;
  throw new SettingFault(`is "${text}"; write true or false`);
}

export function oneOf<const T extends string>(...choices: readonly T[]): Parse<T> {
  return (text) => {
    const found = choices.find((choice) => choice === text.toLowerCase());
    if (!found) throw new SettingFault(`is "${text}"; write one of ${choices.join(', ')}`);
    return found;
  };
}

export function words(pattern: RegExp, example: string): Parse<string> {
  return (text) => {
    if (!pattern.test(text)) throw new SettingFault(`is "${text}"; write something like ${example}`);
    return text;
  };
}

/** Text whose value is never repeated in a message. */
export function hiddenHex(minBytes: number): Parse<string> {
  return (text) => {
    const hex = hexOf(text, minBytes);
    if (isPatterned(hex)) throw new SettingFault(`is too regular to be random; ${insteadOf(minBytes)}`);
    return hex;
  };
}

/** Several such texts separated by commas. A weak one is accepted: it must be readable to be replaced. */
export function hiddenHexList(minBytes: number): Parse<readonly string[]> {
  return (text) => list(text).map((item) => hexOf(item, minBytes));
}

function hexOf(text: string, minBytes: number): string {
  if (/^([0-9a-f]{2})+$/i.test(text) && text.length >= minBytes * 2) return text.toLowerCase();
  throw new SettingFault(`is not usable; ${insteadOf(minBytes)}`);
}

function insteadOf(minBytes: number): string {
  return `write at least ${minBytes} random bytes in hex, e.g. the output of "openssl rand -hex ${minBytes}"`;
}

/** Of 32 random bytes about 30 differ; 15 or fewer never happen. People also type sequences (00 01 02 …). */
function isPatterned(hex: string): boolean {
  const bytes = [...Buffer.from(hex, 'hex')];
  const steps = bytes.slice(1).map((byte, i) => (byte - (bytes[i] ?? 0) + 256) % 256);
  return new Set(bytes).size < Math.min(bytes.length, 32) / 2 || new Set(steps).size < 4;
}

const MAX_PORT = 65_535;
const CREDENTIALS = String.raw`([^\s:@/]+(:[^\s:@/]*)?@|:[^\s:@/]+@)?`;
const HOST = String.raw`([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?`;

/** A URI that may hold a password, so it is never repeated in a message. Several hosts separated by commas are allowed. */
export function hiddenUri(schemes: readonly string[], example: string): Parse<string> {
  const uri = new RegExp(String.raw`^(${schemes.join('|')})://${CREDENTIALS}${HOST}(,${HOST})*([/?]\S*)?$`);
  return (text) => {
    if (!uri.test(text)) {
      throw new SettingFault(
        `is not such an address; write something like ${example} (special characters of a password as %XX)`,
      );
    }
    const [, authority = ''] = text.split(/:\/\/|[/?]/);
    if (!isDecodable(authority))
      throw new SettingFault('has a % without a character; write each % of a password as %25');
    const port = [...authority.matchAll(/:(\d+)(?=,|$)/g)].find(([, digits]) => Number(digits) > MAX_PORT)?.[1];
    if (port !== undefined) throw new SettingFault(`names port ${port}; the highest is ${MAX_PORT}`);
    return text;
  };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new SettingFault(`is "${text}"; write the public address, e.g. https://weft.example.com`);
  }
  return text.replace(/\/+$/, '');
}

/** Kept exactly as written, because others compare it literally. */
export function exactUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:\/\/[^\s#]+$/.test(text)) {
    throw new SettingFault(`is "${text}"; write the whole address, e.g. https://weft.example.com/auth/callback`);
  }
  return text;
}

/** bcrypt reads 72 bytes; a longer password would be truncated silently. */
export function password(text: string): string {
  if (text.length < 12 || Buffer.byteLength(text) > 72) {
    throw new SettingFault('has the wrong length; write 12 characters or more, up to 72 bytes');
  }
  return text;
}

export function names(text: string): readonly string[] {
  const found = [...new Set(text.split(/[\s,]+/).filter((item) => item !== ''))];
  if (found.length === 0 || !found.every((item) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(item))) {
    throw new SettingFault(`is "${text}"; write names with commas between`);
  }
  return found;
}

/** `https://app.example.com, http://localhost:5173`; `*` stands for every origin. */
export function origins(text: string): readonly string[] {
  return list(text).map((item) => {
    if (item === '*') return item;
    const origin = /^https?:/.test(item) && !item.includes('*') ? URL.parse(item)?.origin : undefined;
    if (origin !== undefined && origin === item.replace(/\/$/, '').toLowerCase()) return origin;
    throw new SettingFault(`has "${item}"; write origins like https://app.example.com, with commas between, or *`);
  });
}

export function cidrs(text: string): readonly string[] {
  return list(text).map((item) => cidr(item));
}

/** `10.0.0.0/8`, `127.0.0.1/32:8080`, `[fd00::/8]:443`, `::1/128`. A single address is a range of one. */
export function egressRules(text: string): readonly EgressRule[] {
  return list(text).map((item) => {
    const match = /^\[([^\]]+)\](?::(\d+))?$/.exec(item) ?? /^([\d.]+(?:\/\d+)?)(?::(\d+))?$/.exec(item);
    if (!match) return { cidr: cidr(item), port: null };
    const [, range = '', port] = match;
    return { cidr: cidr(range), port: port === undefined ? null : portOf(item, port) };
  });
}

/** `openai/gpt-4o-mini=0.15:0.60, mistral/*=1:3`: dollars per million input and output tokens; `*` stands for every other model. */
export function aiPrices(text: string): readonly AiPrice[] {
  return list(text).map((item) => {
    const match = /^([\w.-]+)\/([^\s=,]+)=(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/.exec(item);
    if (!match) throw new SettingFault(`has "${item}"; write prices like openai/gpt-4o-mini=0.15:0.60 or openai/*=1:3`);
    const [, provider = '', model = '', tokensIn, tokensOut] = match;
    return { provider, model, dollarsIn: Number(tokensIn), dollarsOut: Number(tokensOut) };
  });
}

/** `name=value, name=value` with percent-encoded values, as OpenTelemetry writes them. Never repeated in a message. */
export function hiddenHeaders(text: string): readonly HeaderSetting[] {
  return list(text).map((item) => {
    const [name = '', value = ''] = cut(item);
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\x20-\x7e]+$/.test(value)) {
      throw new SettingFault('is no list of headers; write name=value with commas between, other characters as %XX');
    }
    return { name, value };
  });
}

function cut(item: string): [string, string] {
  const at = item.indexOf('=');
  try {
    return [item.slice(0, Math.max(0, at)).trim(), decodeURIComponent(item.slice(at + 1).trim())];
  } catch {
    return ['', ''];
  }
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function cidr(item: string): string {
  const range = item.includes('/') ? item : `${item}/${item.includes(':') ? 128 : 32}`;
  if (!ipaddr.isValidCIDR(range)) {
    throw new SettingFault(`has "${item}"; write ranges like 10.0.0.0/8 or fd00::/8, with commas between`);
  }
  return range;
}

function portOf(item: string, port: string): number {
  const value = Number(port);
  if (value < 1 || value > 65_535) throw new SettingFault(`has "${item}"; a port is a number from 1 to 65535`);
  return value;
}
