import { describe, expect, it } from 'vitest';
import { SettingReader } from './setting-reader.js';

describe('settings of traces', () => {
  it('are an address, headers with percent-encoded values, and a share', () => {
    const reader = new SettingReader(
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example:4318/',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc=, x-tenant = weft',
        OTEL_TRACES_SAMPLER_ARG: '.25',
      },
      null,
    );
    expect(reader.read('tracing.endpoint')).toBe('https://collector.example:4318');
    expect(reader.read('tracing.headers')).toEqual([
      { name: 'authorization', value: 'Basic abc=' },
      { name: 'x-tenant', value: 'weft' },
    ]);
    expect(reader.read('tracing.sample_ratio')).toBe(0.25);
    expect(reader.faults).toEqual([]);
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_HEADERS', 'swordfish'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=swordfish'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b%0d%0ac: swordfish'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
    ['OTEL_TRACES_SAMPLER_ARG', '-1'],
  ])('refuse %s=%s, and never repeat a header', (env, text) => {
    const reader = new SettingReader({ [env]: text }, null);
    reader.read('tracing.headers');
    reader.read('tracing.sample_ratio');
    expect(reader.faults).toHaveLength(1);
    expect(reader.faults[0]).toMatch(new RegExp(`^${env}: .*; write `));
    expect(reader.faults[0]).not.toContain('swordfish');
  });
});
