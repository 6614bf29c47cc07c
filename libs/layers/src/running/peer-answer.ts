/** What a peer that refused a call says about the next one: `Retry-After`, and the reset of an exhausted rate limit. */
import type { PeerAnswer } from '@weft/engine';
import type { LayerFailure, RefusedAnswer } from '../layer-module.js';

type Headers = RefusedAnswer['headers'];

const NUMBER = /^[0-9]{1,15}(?:\.[0-9]+)?$/;
/** A reset above this is a time in seconds since 1970, above the next one in milliseconds; a smaller one is a duration. */
const EPOCH_SECONDS = 1_000_000_000;
const EPOCH_MS = 100_000_000_000;

/** @param nowMs MongoDB's clock, for peers that do not say what time it is */
export function peerOf({ answer }: LayerFailure, nowMs: number): PeerAnswer | undefined {
  if (!answer) return undefined;
  const { statusCode, headers } = answer;
  const peerNowMs = timeOf(headers.date) ?? nowMs;
  const asked = afterOf(headers['retry-after'], peerNowMs);
  // an answer that says how much is left says when that ends, too: only an exhausted limit has to be waited for
  const isExhausted = statusCode === 429 || remainingOf(headers) === 0;
  const retryAfterMs = asked ?? (isExhausted ? resetOf(headers, peerNowMs) : undefined);
  return { statusCode, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** `Retry-After`: seconds, or a date, which is compared with the peer's own clock. */
function afterOf(text: string | undefined, peerNowMs: number): number | undefined {
  const seconds = numberOf(text);
  if (seconds !== undefined) return seconds * 1_000;
  const at = timeOf(text);
  return at === undefined ? undefined : Math.max(0, at - peerNowMs);
}

function resetOf(headers: Headers, peerNowMs: number): number | undefined {
  const { t, reset = t } = limitOf(headers);
  const seconds = numberOf(headers['x-ratelimit-reset-after']) ?? numberOf(reset);
  if (seconds !== undefined) return seconds * 1_000;
  const value =
    numberOf(headers['ratelimit-reset']) ??
    numberOf(headers['x-ratelimit-reset']) ??
    numberOf(headers['x-rate-limit-reset']);
  if (value === undefined) return undefined;
  if (value > EPOCH_MS) return Math.max(0, value - peerNowMs);
  return value > EPOCH_SECONDS ? Math.max(0, value * 1_000 - peerNowMs) : value * 1_000;
}

function remainingOf(headers: Headers): number | undefined {
  const { r, remaining = r } = limitOf(headers);
  return (
    numberOf(remaining) ??
    numberOf(headers['ratelimit-remaining']) ??
    numberOf(headers['x-ratelimit-remaining']) ??
    numberOf(headers['x-rate-limit-remaining'])
  );
}

/** The fields of `RateLimit: "default";r=0;t=30` and of `RateLimit: limit=100, remaining=0, reset=30`. */
function limitOf(headers: Headers): Readonly<Record<string, string | undefined>> {
  const parts = (headers.ratelimit ?? '').slice(0, 1_000).split(/[;,]/);
  return Object.fromEntries(parts.map((part) => part.split('=').map((side) => side.trim()) as [string, string]));
}

/** The first of several values that were joined. */
function numberOf(text: string | undefined): number | undefined {
  const first = text?.split(',', 1)[0]?.trim() ?? '';
  return NUMBER.test(first) ? Number(first) : undefined;
}

function timeOf(text: string | undefined): number | undefined {
  const at = text !== undefined && /[a-z]/i.test(text) ? Date.parse(text.slice(0, 100)) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
