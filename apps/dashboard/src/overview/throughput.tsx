import UPlot from 'uplot';
import { Chart, looksOf, type Looks } from './chart';
import type { Overview } from './figures';
import type { OverviewWindow } from './overview-search';
import classes from './overview.module.css';

interface ThroughputProps {
  readonly series: Overview['series'];
  readonly window: OverviewWindow;
}

/** Plays that ended, by minute or hour: well, and failed. The table below has the same for who cannot see it. */
export function Throughput({ series, window }: ThroughputProps) {
  const unit = window === '1h' ? 'minute' : 'hour';
  return (
    <section className={`panel ${classes.chart}`} aria-label={`Plays that ended, by ${unit}`}>
      <h2>Plays that ended, by {unit}</h2>
      <p className={classes.legend} aria-hidden="true">
        <span data-of="done">well</span>
        <span data-of="failed">failed</span>
      </p>
      <Chart of={series} data={dataOf} options={optionsOf} />
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
function optionsOf(element: HTMLElement, series: Overview['series']): Looks {
  const { colour, times, values } = looksOf(element);
  const bars = UPlot.paths.bars?.({ size: [0.75, 24], radius: 0.15 });
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
    scales: {
      ...(half > 0 && { x: { range: (_chart, min, max) => [min - half, max + half] } }),
      y: { range: (_chart, _min, max) => [0, Math.max(4, max * 1.1)] },
    },
    axes: [times, values],
    series: [{}, serie('ended', colour('--state-done')), serie('failed', colour('--state-fail'))],
  };
}
