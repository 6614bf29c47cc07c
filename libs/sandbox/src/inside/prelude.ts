/**
 * What stands in the realm of `code` before the user's function does: a clock that stands still, chance that follows from a
 * seed, and a console that remembers a bounded part of what it is told. It is JavaScript for QuickJS, evaluated there.
 */
const MAX_LOGS = 100;
const MAX_LOG_CHARS = 1_000;

export const PRELUDE = `(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const RealDate = Date;
  const logs = [];
  let state = {};

  const shown = (part) => {
    if (typeof part === 'string') return part;
    try { return stringify(part) ?? String(part); } catch { return String(part); }
  };
  const log = (...parts) => {
    if (logs.length === ${MAX_LOGS}) logs.push('further lines were left out');
    if (logs.length > ${MAX_LOGS}) return;
    let line = '';
    for (const part of parts) {
      line += (line === '' ? '' : ' ') + shown(part);
      if (line.length > ${MAX_LOG_CHARS}) { line = line.slice(0, ${MAX_LOG_CHARS}) + '…'; break; }
    }
    logs.push(line);
  };

  const fix = (nowMs, seed) => {
    globalThis.Date = class Date extends RealDate {
      constructor(...parts) { super(...(parts.length === 0 ? [nowMs] : parts)); }
      static now() { return nowMs; }
    };
    let chance = 0x811c9dc5;
    for (let i = 0; i < seed.length; i += 1) chance = Math.imul(chance ^ seed.charCodeAt(i), 0x01000193);
    Math.random = () => {
      chance = (chance + 0x6d2b79f5) | 0;
      let mixed = Math.imul(chance ^ (chance >>> 15), 1 | chance);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
    globalThis.console = { log, info: log, warn: log, error: log, debug: log };
  };

  const lineOf = (thrown) => {
    const line = /source:(\\d+)/.exec(String(thrown?.stack ?? ''))?.[1];
    return line === undefined ? null : Number(line) - 1;
  };
  const textOf = (thrown) => {
    if (thrown instanceof Error) return thrown.name + ': ' + thrown.message;
    return 'it threw ' + shown(thrown);
  };

  return {
    start(body, input, nowMs, seed) {
      fix(Number(nowMs), seed);
      body(parse(input)).then(
        (value) => { state = { value: stringify(value) ?? 'null' }; },
      ).catch((thrown) => { state = { error: { text: textOf(thrown), line: lineOf(thrown) } }; });
    },
    ending: () => stringify({ ...state, logs: stringify(logs) }),
  };
})()`;
