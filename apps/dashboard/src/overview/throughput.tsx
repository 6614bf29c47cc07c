import './mend-language';
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import type { Overview } from './figures';
import type { OverviewWindow } from './overview-search';
import classes from './overview.module.css';

interface ThroughputProps {
  readonly series: Overview['series'];
  readonly window: OverviewWindow;
}

const HEIGHT_PX = 200;

/** Plays that ended, by minute or hour: well, and failed. The table below has the same for who cannot see it. */
export function Throughput({ series, window }: ThroughputProps) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const chart = new UPlot(optionsOf(element, series), dataOf(series), element);
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [series, scheme]);
  const unit = window === '1h' ? 'minute' : 'hour';
  return (
    <section className={`panel ${classes.chart}`} aria-label={`Plays that ended, by ${unit}`}>
      <h2>Plays that ended, by {unit}</h2>
      <p className={classes.legend} aria-hidden="true">
        <span data-of="done">well</span>
        <span data-of="failed">failed</span>
      </p>
      <div ref={box} aria-hidden="true" />
      <table className="sr-only">
        <caption>Plays that ended, by {unit}</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Well</th>
            <th scope="col">Failed</th>
          </tr>
        </thead>
        <tbody>
          {series.map(({ at, done, failed }) => (
            <tr key={at}>
              <td>{new Date(at).toLocaleString()}</td>
              <td>{done}</td>
              <td>{failed}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function dataOf(series: Overview['series']): UPlot.AlignedData {
  const failed = series.map((each) => each.failed);
  return [
    series.map(({ at }) => Date.parse(at) / 1_000),
    series.map((each, i) => each.done + (failed[i] ?? 0)),
    failed,
  ];
}

/** In seconds: the first and the last bar have room for both their halves. */
function halfBucketOf([first, second]: Overview['series']): number {
  return first && second ? (Date.parse(second.at) - Date.parse(first.at)) / 2_000 : 0;
}

/** The failed ones are drawn over all, so that the rest of a bar is what went well. */
function optionsOf(element: HTMLElement, series: Overview['series']): UPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const bars = UPlot.paths.bars?.({ size: [0.75, 24], radius: 0.15 });
  const axis = {
    stroke: colour('--ink-soft'),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  const half = halfBucketOf(series);
  const serie = (label: string, fill: string) => ({
    points: { show: false },
    label,
    fill,
    stroke: fill,
    width: 0,
    ...(bars && { paths: bars }),
  });
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    scales: {
      ...(half > 0 && { x: { range: (_chart, min, max) => [min - half, max + half] } }),
      y: { range: (_chart, _min, max) => [0, Math.max(4, max * 1.1)] },
    },
    axes: [
      { ...axis, grid: { show: false } },
      { ...axis, size: 44 },
    ],
    series: [{}, serie('ended', colour('--state-done')), serie('failed', colour('--state-fail'))],
  };
}
