import { expect, it } from 'vitest';
import { mergePages } from './merge-pages.js';

const page = (lines: string): string => `${lines}\n\n`;

it('adds counters with the same labels and keeps the others', () => {
  const head = '# HELP weft_plays_total Plays\n# TYPE weft_plays_total counter\n';
  const merged = mergePages([
    page(`${head}weft_plays_total{state="DONE"} 2\nweft_plays_total{state="FAIL"} 1`),
    page(`${head}weft_plays_total{state="DONE"} 3`),
  ]);
  expect(merged).toBe(`${head}weft_plays_total{state="DONE"} 5\nweft_plays_total{state="FAIL"} 1\n`);
});

it('adds the buckets of histograms, and their sums and counts', () => {
  const one = page('# TYPE h histogram\nh_bucket{le="0.1"} 1\nh_bucket{le="+Inf"} 2\nh_sum 0.5\nh_count 2');
  expect(mergePages([one, one])).toContain('h_bucket{le="0.1"} 2\nh_bucket{le="+Inf"} 4\nh_sum 1\nh_count 4');
});

it('takes the largest quantile, and adds sum and count of summaries', () => {
  const slow = page('# TYPE s summary\ns{quantile="0.99"} 0.8\ns_sum 2\ns_count 4');
  const idle = page('# TYPE s summary\ns{quantile="0.99"} NaN\ns_sum 0\ns_count 0');
  const fast = page('# TYPE s summary\ns{quantile="0.99"} 0.1\ns_sum 1\ns_count 9');
  expect(mergePages([idle, slow, fast])).toContain('s{quantile="0.99"} 0.8\ns_sum 3\ns_count 13');
});

it('adds amounts and takes the largest age', () => {
  const a = page(
    '# TYPE weft_process_memory_bytes gauge\nweft_process_memory_bytes 100\n# TYPE weft_queue_oldest_age_seconds gauge\nweft_queue_oldest_age_seconds 7',
  );
  const b = page(
    '# TYPE weft_process_memory_bytes gauge\nweft_process_memory_bytes 50\n# TYPE weft_queue_oldest_age_seconds gauge\nweft_queue_oldest_age_seconds 3',
  );
  const merged = mergePages([a, b]);
  expect(merged).toContain('weft_process_memory_bytes 150');
  expect(merged).toContain('weft_queue_oldest_age_seconds 7');
});

it('shows what is well only where all say so, and the version once', () => {
  const page1 = page('# TYPE weft_health gauge\nweft_health{part="queue"} 1\nweft_health{part="ai"} 0');
  const page2 = page('# TYPE weft_health gauge\nweft_health{part="queue"} 0');
  const build = page('# TYPE weft_build_info gauge\nweft_build_info{version="1.2.3"} 1');
  const merged = mergePages([page1, page2, build, build]);
  expect(merged).toContain('weft_health{part="queue"} 0\nweft_health{part="ai"} 0\n');
  expect(merged).toContain('weft_build_info{version="1.2.3"} 1\n');
});

it('keeps label values that look like syntax', () => {
  const odd = page('# TYPE c counter\nc{path="/a b{}\\"} 1",code="200"} 4');
  expect(mergePages([odd, odd])).toContain('c{path="/a b{}\\"} 1",code="200"} 8');
});

it('writes every family once, with its head', () => {
  const one = page('# HELP c What\n# TYPE c counter\nc 1');
  expect(mergePages([one, one]).match(/# TYPE c counter/g)).toHaveLength(1);
});
