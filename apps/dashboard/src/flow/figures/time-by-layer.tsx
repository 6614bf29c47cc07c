import { shareText } from '../../picture/notes';
import type { FlowLayer } from '../../play/queries';
import { durationText } from '../../ui/duration';
import { Table } from '../../ui/table';
import { byLayer } from './by-layer';
import type { LayerFigures } from './queries';
import classes from './figures.module.css';

interface TimeByLayerProps {
  /** Of the flow as it is, in their order. */
  readonly layers: readonly FlowLayer[];
  readonly figures: readonly LayerFigures[];
}

const text = (value: string | null) => <span className="num">{value ?? <span className="soft">–</span>}</span>;

/** Where the time of plays goes, and what fails: the last 24 hours, layer by layer. */
export function TimeByLayer({ layers, figures }: TimeByLayerProps) {
  const rows = byLayer(layers, figures);
  return (
    <Table
      caption="Time by layer, in the last 24 hours"
      columns={['Layer', 'Share of the time', 'Ran', 'Failed', 'Skipped', 'Median', 'p95']}
      wide={[2, 4, 6]}
      empty="It has no layers."
      rows={rows.map(({ ref, name, isGone, share, ran, failed, skipped, p50_ms, p95_ms }) => ({
        key: ref,
        cells: [
          <span key="name" className={classes.name} dir="auto" title={ref}>
            {name}
            {isGone && <span className="soft"> (of an earlier version)</span>}
          </span>,
          <span key="share" className={classes.share}>
            <span aria-hidden="true">
              <span style={{ width: `${share * 100}%` }} />
            </span>
            {text(ran === 0 ? null : shareText(share))}
          </span>,
          text(ran.toLocaleString()),
          <span key="failed" className="num" {...(failed > 0 && { 'data-bad': true })}>
            {failed === 0 ? '0' : `${failed.toLocaleString()} (${shareText(failed / ran)})`}
          </span>,
          text(skipped.toLocaleString()),
          text(p50_ms === null ? null : durationText(p50_ms)),
          text(p95_ms === null ? null : durationText(p95_ms)),
        ],
      }))}
    />
  );
}
