/** What a peer that refused a call says about the next one: `Retry-After`, and the reset of an exhausted rate limit. */
import type { PeerAnswer } from '@weft/engine';
import type { LayerFailure, RefusedAnswer } from '../layer-module.js';

type Headers = RefusedAnswer['headers'];

const NUMBER = /^[0-9]{1,15}(?:\.[0-9]+)?$/;
/** A reset above this is a time in seconds since 1970, above the next one in milliseconds; a smaller one is a duration. */
const EPOCH_SECONDS = 1_000_000_000;
const EPOCH_MS = 100_000_000_000;

/** @param nowMs MongoDB's clock, for peers that do not say what time it is */
export function peerOf({ answer, isPassing }: LayerFailure, nowMs: number): PeerAnswer | undefined {
  if (!answer) return isPassing === undefined ? undefined : { isPassing };
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
  const { reset } = tightestOf(headers);
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
  const { remaining } = tightestOf(headers);
  return (
    numberOf(remaining) ??
    numberOf(headers['ratelimit-remaining']) ??
    numberOf(headers['x-ratelimit-remaining']) ??
    numberOf(headers['x-rate-limit-remaining'])
  );
}

interface Policy {
  readonly remaining?: string | undefined;
  readonly reset?: string | undefined;
}

/** Of the policies of an answer the one that leaves least; of several that leave nothing the one that lasts longest. */
function tightestOf(headers: Headers): Policy {
  const left = ({ remaining }: Policy) => numberOf(remaining) ?? Number.MAX_SAFE_INTEGER;
  const lasts = ({ reset }: Policy) => numberOf(reset) ?? 0;
  const [tightest] = policiesOf(headers).sort((a, b) => left(a) - left(b) || lasts(b) - lasts(a));
  return tightest ?? {};
}

/** `RateLimit: "burst";r=0;t=30, "day";r=7;t=3600` has two policies, `RateLimit: limit=100, remaining=0, reset=30` has one. */
function policiesOf(headers: Headers): Policy[] {
  const text = (headers.ratelimit ?? '').slice(0, 1_000);
  const items = text.includes(';') ? text.split(',') : [text];
  return items.map((item) => {
    const sides = item.split(/[;,]/).map((part) => part.split('=').map((side) => side.trim()) as [string, string]);
    const { r, remaining = r, t, reset = t } = Object.fromEntries(sides) as Partial<Record<string, string>>;
    return { remaining, reset };
  });
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
