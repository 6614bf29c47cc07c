/**
 * What the realm of `code` contains before the user's function runs: a clock that does not move, random numbers that follow from a
 * seed, and a console that keeps a bounded part of what is logged. It is JavaScript that QuickJS evaluates.
 */
const MAX_LOGS = 100;
const MAX_LOG_CHARS = 1_000;
const NO_TIME_ZONES = 'code knows no time zones; compute the text in an expression, with $fromMillis';

export const PRELUDE = `(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const cut = (text, chars) => reflectApply(slice, text, [0, chars]);
  const { apply: reflectApply } = Reflect;
  const { slice } = String.prototype;
  const RealDate = Date;
  const RealError = Error;
  // without prototypes: whatever the program changes in those, its result is reported
  const bare = (fields) => Object.assign(Object.create(null), fields);
  const logs = Object.setPrototypeOf([], null);
  let state = bare({});

  const shown = (part) => {
    if (typeof part === 'string') return part;
    try { return stringify(part) ?? String(part); } catch { return described(part); }
  };
  const described = (part) => {
    try { return String(part); } catch { return 'something that cannot be shown'; }
  };
  const log = (...parts) => {
    if (logs.length === ${MAX_LOGS}) logs[logs.length] = 'further lines were left out';
    if (logs.length > ${MAX_LOGS}) return;
    let line = '';
    for (let i = 0; i < parts.length; i += 1) {
      line += (line === '' ? '' : ' ') + shown(parts[i]);
      if (line.length > ${MAX_LOG_CHARS}) { line = cut(line, ${MAX_LOG_CHARS}) + '…'; break; }
    }
    logs[logs.length] = line;
  };

  const fix = (nowMs, seed) => {
    const made = (parts, of) => Reflect.construct(RealDate, parts.length === 0 ? [nowMs] : parts, of);
    function Date(...parts) {
      return new.target === undefined ? String(made([], RealDate)) : made(parts, new.target);
    }
    Object.setPrototypeOf(Date, RealDate);
    Date.prototype = RealDate.prototype;
    Object.defineProperty(Date.prototype, 'constructor', { value: Date, writable: true, configurable: true });
    Date.now = () => nowMs;
    for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
      const plain = Date.prototype[name];
      Object.defineProperty(Date.prototype, name, { writable: true, configurable: true, value(locales, options) {
        if (options?.timeZone !== undefined) throw new RangeError(name + ': ${NO_TIME_ZONES}');
        return plain.call(this);
      } });
    }
    globalThis.Date = Date;
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
    if (thrown instanceof RealError) return thrown.name + ': ' + thrown.message;
    return 'it threw ' + shown(thrown);
  };
  // a thrown value may throw again when it is read
  const faultOf = (thrown) => {
    try {
      return bare({ text: String(textOf(thrown)), line: lineOf(thrown) });
    } catch {
      return bare({ text: 'it threw something that cannot be shown', line: null });
    }
  };

  return {
    start(body, input, nowMs, seed) {
      fix(Number(nowMs), seed);
      body(parse(input)).then(
        (value) => { state = bare({ value: stringify(value) ?? 'null' }); },
      ).catch((thrown) => { state = bare({ error: faultOf(thrown) }); });
    },
    ending() {
      state.logs = stringify(logs);
      return stringify(state);
    },
  };
})()`;
