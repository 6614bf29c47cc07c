import type UPlot from 'uplot';
import { Chart, looksOf, type Looks } from '../../overview/chart';
import { durationText } from '../../ui/duration';
import type { OneFlowFigures } from './queries';
import classes from '../../overview/overview.module.css';

type Series = OneFlowFigures['series'];

const NAME = 'How long plays took';

/** Median and 95th percentile, by minute or hour. */
export function Durations({ series }: { readonly series: Series }) {
  return (
    <section className={`panel ${classes.chart}`} aria-label={NAME}>
      <h2>{NAME}</h2>
      <p className={classes.legend} aria-hidden="true">
        <span data-of="p50">median</span>
        <span data-of="p95">95th percentile</span>
      </p>
      <Chart of={series} data={dataOf} options={optionsOf} />
      <table className="sr-only">
        <caption>{NAME}</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Median</th>
            <th scope="col">95th percentile</th>
          </tr>
        </thead>
        <tbody>
          {series.map(({ at, p50_ms, p95_ms }) => (
            <tr key={at}>
              <td>{new Date(at).toLocaleString()}</td>
              <td>{p50_ms === null ? '–' : durationText(p50_ms)}</td>
              <td>{p95_ms === null ? '–' : durationText(p95_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function dataOf(series: Series): UPlot.AlignedData {
  return [
    series.map(({ at }) => Date.parse(at) / 1_000),
    series.map(({ p50_ms }) => p50_ms),
    series.map(({ p95_ms }) => p95_ms),
  ];
}

function optionsOf(element: HTMLElement): Looks {
  const { colour, times, values } = looksOf(element);
  const serie = (label: string, stroke: string) => ({
    label,
    stroke,
    width: 2,
    spanGaps: true,
    points: { show: true, size: 5 },
  });
  return {
    scales: { y: { range: (_chart, _min, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [times, { ...values, size: 64, values: (_chart, ticks) => ticks.map((ms) => durationText(ms)) }],
    series: [{}, serie('median', colour('--state-run')), serie('95th percentile', colour('--state-wait'))],
  };
}
